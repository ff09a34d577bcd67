"""Directory services of the settings, put together."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from acl_sync.ldap import ad_entries, openldap_entries
from acl_sync.ldap.ad_live import ActiveDirectory
from acl_sync.ldap.ad_reading import AdReading
from acl_sync.ldap.client import LdapClient
from acl_sync.ldap.directory import LdapDirectory
from acl_sync.ldap.openldap_live import OpenLdap
from acl_sync.ldap.openldap_reading import OpenLdapReading

if TYPE_CHECKING:
    from acl_sync.registry import DirectoryOptions
    from contracts.settings import LdapSettings

__all__ = ["AdKeys", "OpenLdapKeys", "open_ad", "open_openldap"]


def open_ad(options: DirectoryOptions) -> list[LdapDirectory]:
    """Every Active Directory domain; accounts of one may be in groups of another.

    Raises:
        ConfigError: an address cannot be used, or would carry passwords in the clear.
    """
    domains = []
    for settings in options.settings.ldap:
        if settings.kind == "ad":
            client = LdapClient(settings)
            domains.append(
                LdapDirectory(
                    settings,
                    client,
                    live=ActiveDirectory(settings, client, _now),
                    reading=AdReading(settings),
                    keys=AdKeys(settings),
                    catalog=options.catalog,
                    now=_now,
                )
            )
    for domain in domains:
        domain.join(domains)
    return domains


def open_openldap(options: DirectoryOptions) -> list[LdapDirectory]:
    """Every OpenLDAP tree.

    Raises:
        ConfigError: as for ``open_ad``.
    """
    trees = []
    for settings in options.settings.ldap:
        if settings.kind == "openldap":
            client = LdapClient(settings)
            trees.append(
                LdapDirectory(
                    settings,
                    client,
                    live=OpenLdap(settings, client, _now),
                    reading=OpenLdapReading(settings, _now),
                    keys=OpenLdapKeys(settings),
                    catalog=options.catalog,
                    now=_now,
                )
            )
    return trees


def _now() -> datetime:
    return datetime.now(UTC)


class AdKeys:
    """See :class:`acl_sync.ldap.snapshot.Keys`."""

    def __init__(self, settings: LdapSettings) -> None:
        self._settings = settings

    def person(self, name: str, short: str) -> tuple[str, ...]:
        """Keys of somebody."""
        return ad_entries.person_keys(name, self._domain(short))

    def group(self, name: str, short: str) -> tuple[str, ...]:
        """Keys of a group."""
        return ad_entries.group_keys(name, self._domain(short))

    def _domain(self, short: str) -> ad_entries.Domain:
        root = ad_entries.root_of(self._settings.base)
        return ad_entries.Domain(settings=self._settings, root=root, short=short)


class OpenLdapKeys:
    """See :class:`acl_sync.ldap.snapshot.Keys`."""

    def __init__(self, settings: LdapSettings) -> None:
        self._settings = settings

    def person(self, name: str, short: str) -> tuple[str, ...]:  # noqa: ARG002  see Keys
        """Keys of somebody."""
        return openldap_entries.person_keys(name, self._settings)

    def group(self, name: str, short: str) -> tuple[str, ...]:  # noqa: ARG002  see Keys
        """Keys of a group."""
        return openldap_entries.group_keys(name)
