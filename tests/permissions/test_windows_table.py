"""What a file server of a domain answers to people who open its files, against what is worked out from its lists.

The server is Samba as a domain controller, with people and groups of its own Active Directory. For every list and every
person, the server is asked by opening the file as that person; ours is the scope from the list, and the person as the
directory knows them.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from acl_sync.access import readable_scopes
from acl_sync.registry import DirectoryOptions, make_directories, make_permission_reader
from contracts.documents import SourceItem
from contracts.settings import DirectorySettings, LdapSettings, SourceSettings
from contracts.sources import SourceFolder
from ingest.sources.registry import make_source

pytestmark = pytest.mark.integration

PEOPLE = ("kim", "lee", "park", "han", "choi")
"""In nested groups, in one group, with another primary group, in none, in a group of the server's own."""
READ_DATA, READ, WRITE, MODIFY, FULL, LOOK = 0x1, 0x120089, 0x120116, 0x1301BF, 0x1F01FF, 0x120080
ALL_GENERIC, READ_GENERIC, WRITE_GENERIC = 0x1000_0000, 0x8000_0000, 0x4000_0000
FILES, FOLDERS, STOP, ONLY, INHERITED = 0x1, 0x2, 0x4, 0x8, 0x10
WELL_KNOWN = {
    "everyone": "S-1-1-0",
    "signed-in": "S-1-5-11",
    "network": "S-1-5-2",
    "owner-rights": "S-1-3-4",
    "creator-owner": "S-1-3-0",
    "creator-group": "S-1-3-1",
    "operators": "S-1-5-32-550",
    "users": "S-1-5-32-545",
    "admins": "S-1-5-32-544",
    "stranger": "S-1-5-21-9-9-9-1234",
}


def allow(who, mask=READ, flags=0):
    return ("allow", flags, mask, who)


def deny(who, mask=READ, flags=0):
    return ("deny", flags, mask, who)


def inherited(entry):
    return (entry[0], entry[1] | INHERITED, entry[2], entry[3])


LISTS = {
    "nobody": [],
    "no list at all": None,
    # one entry, by kind of principal
    "allow a user": [allow("kim")],
    "allow a group": [allow("qa")],
    "allow a nested group": [allow("quality")],
    "allow a group nested twice, local to the domain": [allow("plant")],
    "allow a universal group": [allow("outer")],
    "allow a primary group": [allow("contract")],
    "allow the usual primary group": [allow("Domain Users")],
    "allow everyone": [allow("everyone")],
    "allow who signed in": [allow("signed-in")],
    "allow who comes over the network": [allow("network")],
    "allow a group of the server's own": [allow("operators")],
    "allow the users of the server": [allow("users")],
    "allow somebody unknown": [allow("stranger")],
    # denials
    "deny only": [deny("kim")],
    "deny a user, allow everyone": [deny("kim"), allow("everyone")],
    "deny a group, allow everyone": [deny("sales"), allow("everyone")],
    "deny a nested group, allow the user": [deny("quality"), allow("kim")],
    "deny a group nested twice, allow everyone": [deny("plant"), allow("everyone")],
    "deny a primary group, allow everyone": [deny("contract"), allow("everyone")],
    "deny the usual primary group, allow one": [deny("Domain Users"), allow("park")],
    "deny a group of the server's own, allow everyone": [deny("operators"), allow("everyone")],
    "deny everyone, allow one": [deny("everyone"), allow("kim")],
    "deny who signed in, allow one": [deny("signed-in"), allow("lee")],
    "deny somebody unknown, allow everyone": [deny("stranger"), allow("everyone")],
    "deny a universal group, allow the group in it": [deny("outer"), allow("sales")],
    # the order decides
    "allow before deny of one user": [allow("kim"), deny("kim")],
    "allow everyone before deny of one": [allow("everyone"), deny("kim")],
    "allow the user before deny of the group": [allow("kim"), deny("qa"), allow("everyone")],
    "deny the group before allow of the user": [deny("qa"), allow("kim"), allow("everyone")],
    "two groups that disagree, deny first": [deny("sales"), allow("outer"), allow("qa")],
    "two groups that disagree, allow first": [allow("outer"), deny("sales"), allow("qa")],
    "deny between two allows": [allow("lee"), deny("everyone"), allow("kim")],
    # explicit and inherited, as the Explorer writes them
    "inherited allow": [inherited(allow("qa"))],
    "inherited deny, inherited allow": [inherited(deny("qa")), inherited(allow("everyone"))],
    "explicit allow before inherited deny": [allow("kim"), inherited(deny("qa")), inherited(allow("everyone"))],
    "explicit deny before inherited allow": [deny("kim"), inherited(allow("everyone"))],
    "explicit allow of a group, inherited deny of its member": [allow("qa"), inherited(deny("kim"))],
    "inherited from a folder and from the one above": [
        inherited(allow("sales")), inherited(deny("outer")), inherited(allow("everyone")),
    ],
    "explicit allow of everyone, inherited deny of everyone": [
        allow("everyone"), inherited(deny("everyone")),
    ],
    # rights
    "read data alone": [allow("kim", READ_DATA)],
    "write only": [allow("everyone", WRITE)],
    "write only before read": [allow("kim", WRITE), allow("qa", READ)],
    "modify": [allow("qa", MODIFY)],
    "full": [allow("qa", FULL)],
    "attributes only": [allow("everyone", LOOK)],
    "deny of writing leaves reading": [deny("kim", WRITE & ~LOOK), allow("everyone")],
    "deny of attributes leaves reading": [deny("kim", 0x80), allow("everyone")],
    "deny of read data alone": [deny("kim", READ_DATA), allow("everyone", FULL)],
    "deny of everything": [deny("lee", FULL), allow("everyone", FULL)],
    "deny of executing leaves reading": [deny("kim", 0x20), allow("everyone")],
    "an entry without rights": [deny("kim", 0), allow("everyone")],
    "deny of deleting leaves reading": [deny("everyone", 0x10000), allow("qa")],
    "generic read": [allow("qa", READ_GENERIC)],
    "generic all": [allow("qa", ALL_GENERIC)],
    "generic write": [allow("everyone", WRITE_GENERIC)],
    "deny of generic read": [deny("kim", READ_GENERIC), allow("everyone")],
    "deny of generic all": [deny("lee", ALL_GENERIC), allow("everyone")],
    "deny of generic write leaves reading": [deny("kim", WRITE_GENERIC), allow("everyone")],
    # for inheritance only
    "inherit-only allow": [allow("everyone", READ, FILES | FOLDERS | ONLY)],
    "inherit-only deny": [deny("kim", READ, FILES | ONLY), allow("everyone")],
    "inherit-only between": [allow("qa"), deny("everyone", READ, FOLDERS | ONLY), allow("lee")],
    # the owner
    "owner rights": [allow("owner-rights")],
    "owner rights denied, everyone allowed": [deny("owner-rights"), allow("everyone")],
    "owner rights that only let look": [allow("owner-rights", LOOK), allow("qa")],
    "creator owner of a file names nobody": [allow("creator-owner")],
    "creator owner denied names nobody": [deny("creator-owner"), deny("creator-group"), allow("qa")],
    "an owner without an entry": [allow("sales")],
    # many
    "a long list": [*(deny("stranger") for _ in range(40)), deny("sales"), allow("everyone")],
    "everything at once": [
        deny("choi"), allow("operators"), allow("kim", WRITE), inherited(deny("contract", FULL)),
        inherited(allow("quality", MODIFY)), inherited(allow("signed-in", LOOK)), inherited(allow("outer")),
    ],
}  # fmt: skip
"""Of a file that kim owns."""

FOLDER_LISTS = {
    "handed down to everything": [allow("qa", FULL, FILES | FOLDERS)],
    "handed down to files": [allow("lee", READ, FILES | ONLY), allow("qa", FULL, FILES | FOLDERS)],
    "handed down to folders only": [allow("lee", READ, FOLDERS), allow("qa", READ, FILES)],
    "deny handed down": [
        deny("sales", READ, FILES | FOLDERS),
        allow("everyone", FULL, FILES | FOLDERS),
    ],
    "no further than this folder": [allow("everyone", READ, FILES | STOP)],
    "generic rights handed down": [allow("outer", READ_GENERIC, FILES | FOLDERS | ONLY)],
    "the creator's own": [
        allow("creator-owner", FULL, FILES | FOLDERS | ONLY),
        allow("qa", READ, FILES),
    ],
    "owner rights handed down": [allow("owner-rights", READ, FILES), allow("lee", READ, FILES)],
    "writing handed down": [allow("everyone", WRITE, FILES), allow("park", READ, FILES)],
}
"""Of a folder, in which the administrator then makes a file: the server works out the list."""

SHARES = {
    "share-read": "D:(A;;0x1200a9;;;WD)(A;;FA;;;BA)",
    "share-qa": "D:(A;;FA;;;{qa})(A;;FA;;;BA)",
    "share-deny": "D:(D;;FA;;;{sales})(A;;FA;;;WD)",
    "share-operators": "D:(A;;FA;;;PO)(A;;FA;;;BA)",
    "share-order": "D:(A;;FA;;;{lee})(A;;FA;;;BA)(D;;FA;;;{sales})(A;;FA;;;WD)",
}
"""Lists of shares; BA are the administrators of the server, PO its print operators, WD everyone."""
OPEN = ("lists", "changing", "explained")
SHARES |= dict.fromkeys(OPEN, "D:(A;;0x1f01ff;;;WD)")
SHARED = ("allow everyone", "deny a user, allow everyone", "allow a nested group", "write only")


@pytest.fixture(scope="module")
def plant(domain_controller, smb_tools, tmp_path_factory):
    """The domain with its people, and what asks it and us."""
    return Plant(domain_controller, smb_tools, tmp_path_factory.mktemp("plant"))


class Plant:
    """A domain with people, shares and files."""

    def __init__(self, controller, tools, folder):
        self.controller, self.tools = controller, tools
        self.password = folder / "password"
        self.password.write_text(f"{controller.password}\n")
        self.sids = dict(WELL_KNOWN) | {name: controller.add_user(name) for name in PEOPLE}
        for name, members, kind in (
            ("qa", ["kim"], "global"),
            ("quality", ["qa"], "global"),
            ("plant", ["quality"], "domain-local"),
            ("sales", ["lee"], "global"),
            ("outer", ["sales"], "universal"),
            ("contract", ["park"], "global"),
        ):
            self.sids[name] = controller.add_group(name, *members, kind=kind)
        controller.set_primary_group("park", "contract")
        self.sids["Domain Users"] = controller.sid("Domain Users")
        operators = f"CN=Print Operators,CN=Builtin,{controller.base}"
        assert controller.ldap.modify(
            operators, {"member": [("MODIFY_ADD", [controller.dn("choi")])]}
        )
        for name, sddl in SHARES.items():
            controller.share(name, controller.folder / name)
            controller.run("sharesec", name, f"--setsddl={sddl.format_map(self.sids)}")
        self.admin = {name: self.client(name, controller.administrator) for name in SHARES}
        self.people = self._people()

    def client(self, share, user):
        """Somebody at a share."""
        login = f"{self.controller.domain}\\{user}"
        return self.tools.ShareClient(
            self.controller.host, 445, share, login, self.controller.password
        )

    def _people(self):
        settings = LdapSettings(
            name="plant",
            urls=(f"ldaps://{self.controller.host}",),
            base=self.controller.base,
            user=f"{self.controller.administrator}@{self.controller.realm}",
            password_file=self.password,
            ca_file=self.controller.ca_file,
        )
        directories = DirectorySettings(ldap=(settings,), local_accounts=False)
        (directory,) = make_directories(DirectoryOptions(settings=directories))
        return {name: directory.reader(name).principals for name in PEOPLE}

    def bytes_of(self, entries, owner="kim"):
        """A descriptor with names in the place of SIDs."""
        named = (
            [(e, f, m, self.sids[who]) for e, f, m, who in entries] if entries is not None else None
        )
        return self.tools.descriptor(named, self.sids[owner])

    def ours(self, share):
        """Who may read each file of a share, as we work it out; and the scopes."""
        settings = SourceSettings(
            name="files",
            kind="smb",
            url=f"smb://{self.controller.host}/{share}",
            user=f"{self.controller.administrator}@{self.controller.realm}",
            password_file=self.password,
        )
        reader = make_permission_reader(settings)
        listed = list(make_source(settings).list())
        folders = {f.path: reader.folder(f) for f in listed if isinstance(f, SourceFolder)}
        items = {i.path: reader.item(i) for i in listed if isinstance(i, SourceItem)}
        scopes = {scope.scope_id: scope for scope in (*folders.values(), *items.values())}
        passed = {who: readable_scopes(scopes.values(), held) for who, held in self.people.items()}
        may = {
            (path, who): scope.scope_id in passed[who]
            for path, scope in items.items()
            for who in PEOPLE
        }
        return SimpleNamespace(may=may, folders=folders, items=items)

    def servers(self, share, paths):
        """The same, as the server says."""
        answers = {}
        for who in PEOPLE:
            client = self.client(share, who)
            answers |= {(path, who): client.reads(path) for path in paths}
            client.close()
        return answers


def test_the_server_and_we_agree_on_every_list_and_person(plant, capsys):
    drive = plant.admin["lists"]
    for name, entries in LISTS.items():
        drive.write(f"{name}.txt", b"x")
        drive.protect(f"{name}.txt", plant.bytes_of(entries))
    for name, entries in FOLDER_LISTS.items():
        drive.make(name)
        drive.protect(name, plant.bytes_of([*entries, allow("everyone", 0x1200A9, FOLDERS)], "lee"))
        drive.write(f"{name}/made.txt", b"x")
        drive.write(f"{name}/of lee.txt", b"x")
        own = [
            (e, f & ~(FILES | FOLDERS | ONLY | STOP), m, who)
            for e, f, m, who in entries
            if f & FILES
        ]
        own = [
            (e, f | INHERITED, m, "lee" if who == "creator-owner" else who) for e, f, m, who in own
        ]
        drive.protect(f"{name}/of lee.txt", plant.bytes_of(own, "lee"))
    ours = plant.ours("lists")
    theirs = plant.servers("lists", ours.items)
    assert ours.items.keys() == {f"{name}.txt" for name in LISTS} | {
        f"{name}/{file}" for name in FOLDER_LISTS for file in ("made.txt", "of lee.txt")
    }
    assert _differing(ours.may, theirs) == []
    assert {path for path, scope in ours.items.items() if not scope.readable} == set()
    yes = sum(theirs.values())
    assert yes > len(theirs) // 5
    assert len(theirs) - yes > len(theirs) // 5
    for name, entries in FOLDER_LISTS.items():
        shared = ours.items[f"{name}/made.txt"] == ours.folders[name]
        of_the_owner = {"creator-owner", "owner-rights"} & {who for *_, who in entries}
        assert shared is not bool(of_the_owner), name
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(ours.items)} lists, {len(theirs)} answers of the server, {yes} of them yes\n"
        )


def test_the_server_and_we_agree_where_a_share_has_a_list_too(plant, capsys):
    asked = 0
    for share in SHARES.keys() - set(OPEN):
        client = plant.admin[share]
        for name in SHARED:
            client.write(f"{name}.txt", b"x")
            client.protect(f"{name}.txt", plant.bytes_of(LISTS[name]))
        ours = plant.ours(share)
        theirs = plant.servers(share, ours.items)
        assert _differing(ours.may, theirs) == [], share
        assert len(theirs) == len(SHARED) * len(PEOPLE)
        assert 0 < sum(theirs.values()) < len(theirs), share
        asked += len(theirs)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{asked // len(PEOPLE)} pairs of lists, {asked} answers of the server\n"
        )


def test_a_group_of_the_servers_own_counts_for_who_is_in_it_now(plant):
    drive, controller = plant.admin["changing"], plant.controller
    drive.write("local.txt", b"x")
    drive.protect("local.txt", plant.bytes_of([allow("operators")]))
    operators = f"CN=Print Operators,CN=Builtin,{controller.base}"
    for change, who in (("MODIFY_DELETE", "choi"), ("MODIFY_ADD", "han")):
        assert controller.ldap.modify(operators, {"member": [(change, [controller.dn(who)])]})
    ours, theirs = plant.ours("changing").may, plant.servers("changing", ["local.txt"])
    assert {key: ours[key] for key in theirs} == theirs
    assert [who for _, who in theirs if theirs["local.txt", who]] == ["han"]
    for change, who in (("MODIFY_DELETE", "han"), ("MODIFY_ADD", "choi")):
        assert controller.ldap.modify(operators, {"member": [(change, [controller.dn(who)])]})


def test_a_list_says_which_entry_decides(plant):
    drive = plant.admin["explained"]
    drive.write("explained.txt", b"x")
    drive.protect("explained.txt", plant.bytes_of([deny("sales"), inherited(allow("users"))]))
    (gate,) = plant.ours("explained").items["explained.txt"].gates
    assert gate.entries[0].label == f"deny {plant.sids['sales']}"
    assert [e.inherited for e in gate.entries[:2]] == [False, True]
    assert gate.entries[1].principal == f"local:{WELL_KNOWN['users']}@{plant.controller.host}"
    assert all(e.label.endswith(f"via {WELL_KNOWN['users']}") for e in gate.entries[2:])


def _differing(ours, theirs):
    return [
        (*key, "server", theirs[key], "ours", ours[key])
        for key in theirs
        if ours[key] != theirs[key]
    ]
