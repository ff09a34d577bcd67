"""Directories over LDAP: Active Directory domains and OpenLDAP trees, with the snapshots that serve while they are down."""
