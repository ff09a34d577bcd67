"""Directories over real servers, with a catalog and a clock of the test's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from acl_sync.ldap.ad_live import ActiveDirectory
from acl_sync.ldap.ad_reading import AdReading
from acl_sync.ldap.client import LdapClient
from acl_sync.ldap.directory import LdapDirectory
from acl_sync.ldap.opening import AdKeys, OpenLdapKeys
from acl_sync.ldap.openldap_live import OpenLdap
from acl_sync.ldap.openldap_reading import OpenLdapReading
from catalog.catalog import Catalog
from contracts.settings import LdapSettings


class Clock:
    """The time, which a test may let pass."""

    def __init__(self):
        self.passed = timedelta()

    def __call__(self):
        """Now."""
        return datetime.now(UTC) + self.passed

    def add(self, seconds):
        """Let time pass."""
        self.passed += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    """A clock."""
    return Clock()


@pytest.fixture
def catalog(tmp_path):
    """An empty catalog."""
    with Catalog.open("", tmp_path / "home") as opened:
        yield opened


def settings_of(server, **changed):
    """How a server is reached, as its reading account."""
    ad = server.base.startswith("DC=")
    usual = {
        "name": "hanbit",
        "kind": "openldap",
        "urls": (server.url,),
        "base": server.base,
        "user": server.reader,
        "password_file": server.password_file,
        "ca_file": server.ca_file,
        "page_size": 5,
        "timeout_seconds": 5.0,
        "grace_seconds": 600.0,
    } | ({"name": "other", "kind": "ad"} if ad else {})
    return LdapSettings.model_validate(usual | changed)


@pytest.fixture
def open_directory(catalog, clock):
    """``open_directory(server, **settings)``: the directory of a server, over the test's catalog and clock."""
    opened = []

    def make(server, *, members_at_once=0, **changed):
        settings = settings_of(server, **changed)
        client = LdapClient(settings)
        if settings.kind == "ad":
            live = ActiveDirectory(settings, client, clock)
            reading = AdReading(settings, members_at_once=members_at_once)
            keys = AdKeys(settings)
        else:
            live = OpenLdap(settings, client, clock)
            reading = OpenLdapReading(settings, clock)
            keys = OpenLdapKeys(settings)
        made = LdapDirectory(
            settings, client, live=live, reading=reading, keys=keys, catalog=catalog, now=clock
        )
        opened.append(made)
        return made

    yield make
    for made in opened:
        made.close()


@pytest.fixture
def domain(other_domain):
    """The second domain, with nobody of another test in it, and running."""
    yield from _clean(other_domain)


@pytest.fixture
def tree(openldap_server):
    """The OpenLDAP tree, with nobody of another test in it, and running."""
    yield from _clean(openldap_server)


def _clean(server):
    if not server.running:
        server.start()
    server.clear()
    yield server
    if not server.running:
        server.start()
