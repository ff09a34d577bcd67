"""A real Active Directory domain (Samba); people and groups are changed in place, so that they keep their SIDs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from acl_sync.registry import DIRECTORIES, DirectoryOptions
from contracts.settings import DirectorySettings, LdapSettings

SERVERS = ("other_domain",)
ACTIVE, DISABLED = 0x10200, 0x2
UNIVERSAL = -0x7FFFFFF8
EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
EVERYBODY = ("S-1-1-0", "S-1-5-2", "S-1-5-11")


def bench(_folder, server):
    """A bench over the domain."""
    return AdBench(server)


class AdBench:
    """See ``tests/contract/test_directory.py``."""

    realm = "other"
    nests = True
    one_namespace = True
    tells_case = False
    deep = 100

    def __init__(self, server):
        self._server = server
        self._made = []
        self._people, self._groups, self._sids = {}, {}, {}
        server.clear()
        domain = server.sid(server.base)
        self.everyone = {f"everyone@{self.realm}", *(f"sid:{sid}" for sid in EVERYBODY)}
        self._usual = {
            f"sid:{domain}-513",
            f"group:Domain Users@{self.realm}",
            "sid:S-1-5-32-545",
            f"group:Users@{self.realm}",
        }

    def write(self, users, groups):
        """From now on these people and groups exist; a domain has one name for one of them."""
        server = self._server
        if not server.running:
            server.start()
        users = {name: about for name, about in users.items() if name not in groups}
        for known, wanted in ((self._people, users), (self._groups, groups)):
            for name in list(known.keys() - wanted.keys()):
                server.remove(known.pop(name))
        for name, about in users.items():
            self._account(name, about)
        for name in groups:
            if name not in self._groups:
                self._groups[name] = server.group(name, groupType=UNIVERSAL)
                self._sids[f"group:{name}"] = server.sid(self._groups[name])
        inside = [(self._people[n], about.get("groups", ())) for n, about in users.items()]
        inside += [(self._groups[name], outer) for name, outer in groups.items()]
        for name in groups:
            listed = [dn for dn, outer in inside if name in outer]
            server.change(self._groups[name], member=listed or None)

    def _account(self, name, about):
        if name not in self._people:
            self._people[name] = self._server.person(name)
            self._sids[f"user:{name}"] = self._server.sid(self._people[name])
        until, ticks = about.get("expires"), 0
        if until:
            after = datetime(until.year, until.month, until.day, tzinfo=UTC) + timedelta(days=1)
            ticks = (after - EPOCH) // timedelta(microseconds=1) * 10
        control = ACTIVE | (DISABLED if about.get("disabled") else 0)
        self._server.change(self._people[name], userAccountControl=control, accountExpires=ticks)

    def directory(self):
        """The adapter."""
        (entry,) = [entry for entry in DIRECTORIES if entry.name == "ad"]
        server = self._server
        ldap = LdapSettings(
            name=self.realm,
            urls=(server.url,),
            base=server.base,
            user=server.reader,
            password_file=server.password_file,
            ca_file=server.ca_file,
        )
        settings = DirectorySettings(ldap=(ldap,), local_accounts=False)
        (made,) = entry.load()(DirectoryOptions(settings=settings))
        self._made.append(made)
        return made

    def person(self, name):
        """What entries may name somebody by who is in no group of the test's."""
        return {f"user:{name}@{self.realm}", f"sid:{self._sids.get(f'user:{name}')}", *self._usual}

    def group(self, name):
        """What entries may name this group by."""
        return {f"group:{name}@{self.realm}", f"sid:{self._sids[f'group:{name}']}"}

    def break_down(self):
        """From now on the directory cannot be asked."""
        self._server.stop()

    def close(self):
        """Leave the server to the next bench."""
        for made in self._made:
            made.close()
        if not self._server.running:
            self._server.start()
