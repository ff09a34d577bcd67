"""A real OpenLDAP server."""

from __future__ import annotations

from datetime import date

from acl_sync.registry import DIRECTORIES, DirectoryOptions
from contracts.settings import DirectorySettings, LdapSettings

SERVERS = ("openldap_server",)
FIRST = 5000
LOCKED = "000001010000Z"


def bench(_folder, server):
    """A bench over the tree."""
    return OpenLdapBench(server)


class OpenLdapBench:
    """See ``tests/contract/test_directory.py``."""

    realm = "hanbit"
    nests = True
    tells_case = False
    deep = 100

    def __init__(self, server):
        self._server = server
        self._made = []
        self._numbers = {}
        server.clear()

    def write(self, users, groups):
        """From now on these people and groups exist."""
        server = self._server
        if not server.running:
            server.start()
        server.clear()
        members = {name: [] for name in groups}
        for name, about in users.items():
            number = self._number(name)
            until = about.get("expires")
            ends = {"shadowExpire": (until - date(1970, 1, 1)).days + 1} if until else {}
            dn = server.person(name, uidNumber=number, gidNumber=number, **ends)
            if about.get("disabled"):
                server.change(dn, pwdAccountLockedTime=LOCKED)
            for group in about.get("groups", ()):
                if group in members:
                    members[group].append(dn)
        for name, outer in groups.items():
            for group in outer:
                if group in members:
                    members[group].append(f"cn={name},{server.groups}")
        for name, listed in members.items():
            server.group(name, listed)

    def directory(self):
        """The adapter."""
        (entry,) = [entry for entry in DIRECTORIES if entry.name == "openldap"]
        server = self._server
        ldap = LdapSettings(
            name=self.realm,
            kind="openldap",
            urls=(server.url,),
            base=server.base,
            user=server.reader,
            password_file=server.password_file,
            ca_file=server.ca_file,
            page_size=50,
        )
        settings = DirectorySettings(ldap=(ldap,), local_accounts=False)
        (made,) = entry.load()(DirectoryOptions(settings=settings))
        self._made.append(made)
        return made

    def person(self, name):
        """What entries may name this person alone by."""
        number = self._number(name)
        return {
            f"{kind}@{self.realm}" for kind in (f"user:{name}", f"uid:{number}", f"gid:{number}")
        }

    def group(self, name):
        """What entries may name this group by."""
        return {f"group:{name}@{self.realm}"}

    def break_down(self):
        """From now on the directory cannot be asked."""
        self._server.stop()

    def close(self):
        """Leave the server to the next bench."""
        for made in self._made:
            made.close()
        if not self._server.running:
            self._server.start()

    def _number(self, name):
        return self._numbers.setdefault(name, FIRST + len(self._numbers))
