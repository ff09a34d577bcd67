"""Groups that a file server has of its own: what it answers to their members, and what is told where it keeps them to itself."""

from __future__ import annotations

import shutil

import pytest

from acl_sync.access import readable_scopes
from acl_sync.registry import make_permission_reader
from contracts.documents import SourceItem
from contracts.settings import SourceSettings
from contracts.sources import SourceFolder
from ingest.sources.registry import make_source

pytestmark = pytest.mark.integration

READER, PEOPLE = "games", ("news", "mail", "lp")
"""Accounts of this machine; the first of the people is in the group, the second in one within it."""
READ, FULL = 0x120089, 0x1F01FF
EVERYONE, SIGNED_IN, USERS = "S-1-1-0", "S-1-5-11", "S-1-5-32-545"
DOMAIN_USER = "S-1-5-21-7-7-7-1001"


@pytest.fixture(scope="module")
def server(smb_tools):
    """A server with groups of its own."""
    made = smb_tools.new_file_server()
    try:
        for name in (READER, *PEOPLE):
            made.add_user(name)
        (made.folder / "password").write_text(made.password)
        machine = made.sid(READER).rpartition("-")[0]
        made.groups = {
            "engineers": f"{machine}-3001",
            "weldshop": f"{machine}-3002",
            "users": USERS,
        }
        for (name, sid), unix in zip(made.groups.items(), ("staff", "voice", "users"), strict=True):
            made.run(
                "net",
                "groupmap",
                "add",
                f"sid={sid}",
                f"unixgroup={unix}",
                "type=local",
                f"ntgroup={name}",
            )
        for group, member in (("engineers", "news"), ("weldshop", "mail"), ("users", "lp")):
            made.run("net", "groupmap", "addmem", made.groups[group], made.sid(member))
        made.share("drive", made.folder / "drive")
        yield made
    finally:
        made.stop()
        shutil.rmtree(made.folder)


def settings_of(server):
    """The share as a source."""
    return SourceSettings(
        name="files",
        kind="smb",
        url=f"smb://{server.host}:{server.port}/drive",
        user=READER,
        password_file=server.folder / "password",
        acl={"kind": "smb", "share": ("allow Everyone",)},
    )


def ours(server):
    """Who may read each file: by account, and somebody of a domain whom the server does not know."""
    settings = settings_of(server)
    reader, listed = make_permission_reader(settings), list(make_source(settings).list())
    scopes = [reader.folder(f) for f in listed if isinstance(f, SourceFolder)]
    items = {i.path: reader.item(i) for i in listed if isinstance(i, SourceItem)}
    people = {name: server.sid(name) for name in PEOPLE} | {"domain user": DOMAIN_USER}
    found = {}
    for name, sid in people.items():
        held = frozenset(f"sid:{s}" for s in (sid, EVERYONE, SIGNED_IN))
        passed = readable_scopes([*scopes, *items.values()], held)
        found |= {(path, name): scope.scope_id in passed for path, scope in items.items()}
    return found


def put(server, smb_tools, lists):
    """A file for each list, which the reading account may look at, too."""
    drive = server.client("drive")
    look = ("allow", 0, 0x120080, server.sid(READER))
    root = ("allow", 0x3, FULL, server.sid(READER))
    drive.protect("", smb_tools.descriptor([root, ("allow", 0x3, 0x1200A9, EVERYONE)]))
    for name, entries in lists.items():
        drive.write(name, b"x")
        drive.protect(name, smb_tools.descriptor([look, *entries]))
    drive.close()


def test_members_of_a_servers_own_group_read_as_the_server_lets_them(server, smb_tools):
    engineers, weldshop = server.groups["engineers"], server.groups["weldshop"]
    everyone = ("allow", 0, READ, EVERYONE)
    lists = {
        "allow.txt": [("allow", 0, READ, engineers)],
        "deny.txt": [("deny", 0, READ, engineers), everyone],
        "both.txt": [("deny", 0, READ, weldshop), ("allow", 0, READ, engineers), everyone],
        "built-in.txt": [("allow", 0, READ, USERS)],
        "built-in denied.txt": [("deny", 0, READ, USERS), everyone],
        "order.txt": [
            ("allow", 0, READ, server.sid("news")),
            ("deny", 0, READ, engineers),
            everyone,
        ],
        "nobody.txt": [],
    }
    put(server, smb_tools, lists)
    found = ours(server)
    theirs = {}
    for name in PEOPLE:
        client = smb_tools.ShareClient(server.host, server.port, "drive", name, server.password)
        theirs |= {(path, name): client.reads(path) for path in lists}
        client.close()
    assert {key: found[key] for key in theirs} == theirs
    assert theirs["allow.txt", "news"]
    assert not theirs["deny.txt", "news"]
    assert not theirs["allow.txt", "lp"]


def test_a_group_that_fills_more_than_one_answer_is_read_whole(server, smb_tools):
    """An answer comes in fragments of some four thousand bytes."""
    weldshop = server.groups["weldshop"]
    strangers = [f"S-1-5-21-8-8-8-{number}" for number in range(1000, 1170)]
    for sid in strangers:
        server.run("net", "groupmap", "addmem", weldshop, sid)
    put(server, smb_tools, {"weldshop.txt": [("allow", 0, READ, weldshop)]})
    settings = settings_of(server)
    item = next(i for i in make_source(settings).list() if i.path == "weldshop.txt")
    (gate,) = make_permission_reader(settings).item(item).gates
    allowed = {entry.principal for entry in gate.entries}
    assert allowed >= {f"sid:{sid}" for sid in (*strangers, server.sid("mail"))}


@pytest.fixture(scope="module")
def silent(smb_tools):
    """A server that answers no question about its shares, accounts and groups."""
    made = smb_tools.new_file_server("  rpc start on demand helpers = no")
    try:
        made.add_user(READER)
        for name in PEOPLE:
            made.add_user(name)
        (made.folder / "password").write_text(made.password)
        made.share("drive", made.folder / "drive")
        yield made
    finally:
        made.stop()
        shutil.rmtree(made.folder)


def test_a_server_that_tells_nothing_of_its_groups_lets_nobody_through_them(silent, smb_tools):
    everyone, unknown = ("allow", 0, READ, EVERYONE), "S-1-5-21-1-2-3-3001"
    put(
        silent,
        smb_tools,
        {
            "allowed group.txt": [("allow", 0, READ, USERS)],
            "denied group.txt": [("deny", 0, READ, USERS), everyone],
            "perhaps a group.txt": [("deny", 0, READ, unknown), everyone],
            "an entry before it.txt": [("allow", 0, READ, DOMAIN_USER), ("deny", 0, READ, USERS)],
            "no group.txt": [everyone],
        },
    )
    found = ours(silent)
    may = {path for (path, name), yes in found.items() if name == "domain user" and yes}
    assert may == {"an entry before it.txt", "no group.txt"}
