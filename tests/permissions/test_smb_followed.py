"""From a Windows share to what people find: documents of a real file server, people of its domain, nothing in between."""

from __future__ import annotations

import contextlib

import pytest
from click.testing import CliRunner

from app.commands.acl import command as acl
from app.sources import add_source
from app.wiring import open_access, open_kit, source_run
from contracts.errors import SourceUnreachableError
from contracts.search import SearchRequest
from contracts.settings import Settings, SourceSettings
from search.service import Searcher

pytestmark = pytest.mark.integration

READ, FULL, LOOK = 0x120089, 0x1F01FF, 0x120080
FILES, FOLDERS, INHERITED = 0x1, 0x2, 0x10
BELOW = FILES | FOLDERS


class _Unheard:
    def record(self, *_arguments):
        """The audit log has tests of its own."""


SHARES = 12
"""More than tests: each takes one of its own."""


@pytest.fixture(scope="module")
def domain(domain_controller):
    """The domain with its people, and a share for each test; SIDs by name."""
    names = ("seoga", "kim", "lee")  # the first looks people up
    sids = {name: domain_controller.add_user(name) for name in names}
    sids["qa"] = domain_controller.add_group("qa", "kim")
    sids["plant"] = domain_controller.add_group("plant", "qa", "lee", kind="domain-local")
    # before anybody asks for their lists: the service that tells reads its settings once
    for number in range(SHARES):
        domain_controller.share(f"s{number}", domain_controller.folder / f"s{number}")
    return sids, [f"s{number}" for number in range(SHARES)]


class Plant:
    """A share, and an installation that reads it as an administrator, who is told of the share's list."""

    def __init__(self, controller, tools, folder, sids, share):
        self.controller, self.tools, self.folder = controller, tools, folder
        self.sids, self.share = sids, share
        (folder / "password").write_text(controller.password)
        login = f"{controller.domain}\\{controller.administrator}"
        self.drive = tools.ShareClient(controller.host, 445, share, login, controller.password)
        self.open_share("WD")
        self.protect("", [("plant", FULL, BELOW)])

    def protect(self, path, entries, *, deny=()):
        """A list: denials first, then ``(name, mask, flags)`` that are allowed."""
        lines = [("deny", flags, mask, self.sids[who]) for who, mask, flags in deny]
        lines += [("allow", flags, mask, self.sids[who]) for who, mask, flags in entries]
        self.drive.protect(path, self.tools.descriptor(lines))

    def open_share(self, *who):
        """Whom the share itself lets in (SIDs, or WD for everyone and BA for administrators)."""
        entries = "".join(f"(A;;0x1f01ff;;;{sid})" for sid in who)
        self.controller.run("sharesec", self.share, f"--setsddl=D:{entries}")

    def write(self, path, text):
        """A document, in a folder that is made where missing."""
        if "/" in path:
            self.drive.make(path.rpartition("/")[0])
        self.drive.write(path, text.encode())

    def settings(self):
        """Of the installation."""
        ldap = {
            "name": "plant",
            "urls": (f"ldaps://{self.controller.host}",),
            "base": self.controller.base,
            "user": f"seoga@{self.controller.realm}",
            "password_file": self.folder / "password",
            "ca_file": self.controller.ca_file,
        }
        values = {
            "home": self.folder / "home",
            "embedder": {"engine": "hash"},
            "parse": {"workers": 1, "timeout_seconds": 30},
            "directory": {"cache_seconds": 0, "local_accounts": False, "ldap": (ldap,)},
        }
        return Settings.model_validate(values)

    def source(self, kit):
        """The share as a source."""
        known = kit.catalog.sources.get("files")
        if known is not None:
            return SourceSettings.model_validate(dict(known.config))
        values = {
            "name": "files",
            "kind": "smb",
            "url": f"smb://{self.controller.host}/{self.share}",
            "user": f"{self.controller.administrator}@{self.controller.realm}",
            "password_file": self.folder / "password",
        }
        return add_source(kit.catalog, SourceSettings.model_validate(values), origin="path")

    def run(self, what="content"):
        """A run; its summary."""
        with open_kit(self.settings()) as kit:
            return getattr(source_run(kit, self.source(kit)), what)()

    def alert(self):
        """What an operator is told."""
        with open_kit(self.settings()) as kit:
            return kit.catalog.sources.get("files").alert

    def found(self, query, who):
        """Paths that somebody finds."""
        with open_kit(self.settings()) as kit:
            searcher = Searcher(
                kit.index,
                kit.embedder,
                kit.analyzer,
                open_access(kit.settings, kit.catalog),
                _Unheard(),
                kit.settings.search,
            )
            with contextlib.closing(searcher):
                request = SearchRequest(query=query, reader=who, top=50)
                hits = searcher.search(request).hits
        return sorted({hit.path for hit in hits if query in hit.text})


@pytest.fixture
def plant(domain_controller, domain, smb_tools, tmp_path):
    """Documents on a share, read once."""
    sids, shares = domain
    made = Plant(domain_controller, smb_tools, tmp_path, sids, shares.pop())
    made.write("안내.txt", "회전축 점검 안내")
    made.write("품질/검사.txt", "회전축 검사 기록")
    made.write("품질/비밀.txt", "회전축 결함 비밀")
    made.protect("품질/비밀.txt", [("qa", READ, 0)])
    made.run()
    yield made
    made.drive.close()


ALL = ["안내.txt", "품질/검사.txt", "품질/비밀.txt"]


def test_people_find_what_the_server_lets_them_read(plant):
    assert plant.found("회전축", "kim") == ALL
    assert plant.found("회전축", "lee") == ALL[:2]
    again = plant.run()
    assert not again.work.get("indexed")
    assert again.scan["new"] == again.scan["changed"] == 0


def test_who_leaves_a_group_loses_with_the_next_question(plant):
    plant.controller.remove_members("qa", "kim")
    assert plant.found("회전축", "kim") == []
    plant.controller.add_members("qa", "kim")
    assert plant.found("회전축", "kim") == ALL


def test_what_decides_is_explained_with_the_names_of_the_domain(plant, monkeypatch):
    monkeypatch.setattr("contracts.settings.load_settings", plant.settings)
    words = ["explain", "품질/비밀.txt", "--as", "kim"]
    told = CliRunner().invoke(acl, words, catch_exceptions=False).stdout.splitlines()
    assert told[0] == "품질/비밀.txt: 읽을 수 있음 (may read)"
    assert told[1].endswith("allow sid:S-1-1-0 (Everyone)")
    assert told[2].endswith(f"allow sid:{plant.sids['qa']} (qa)")


def test_a_list_that_changes_is_followed_and_nothing_is_parsed(plant):
    plant.protect("품질", [("qa", FULL, BELOW)])
    plant.run("permissions")
    # the files keep the lists that they have: only what is made from now on gets the folder's
    assert plant.found("회전축", "lee") == ALL[:2]
    plant.protect("품질/검사.txt", [("qa", FULL, INHERITED)])
    summary = plant.run("permissions")
    assert plant.found("회전축", "lee") == ALL[:1]
    assert plant.found("회전축", "kim") == ALL
    assert not summary.work


def test_a_document_that_moves_gets_the_list_of_its_new_place_and_is_not_parsed_again(plant):
    plant.drive.make("공개")
    plant.protect("품질", [("qa", FULL, BELOW)])
    plant.protect("공개", [("plant", FULL, BELOW)])
    plant.write("품질/이동.txt", "연마석 교체 주기")
    plant.run()
    assert plant.found("연마석", "lee") == []
    plant.drive.rename("품질/이동.txt", "공개/이동.txt")
    plant.protect("공개/이동.txt", [("plant", FULL, INHERITED)])
    summary = plant.run()
    assert summary.scan["moved"] == 1
    assert plant.found("연마석", "lee") == ["공개/이동.txt"]


def test_a_share_that_closes_itself_closes_every_document(plant):
    plant.open_share(plant.sids["kim"], "BA")
    summary = plant.run("permissions")
    assert summary.scan["scopes_changed"] == 1
    assert plant.found("회전축", "lee") == []
    assert plant.found("회전축", "kim") == ALL
    plant.open_share("WD")
    plant.run("permissions")
    assert plant.found("회전축", "lee") == ALL[:2]


def test_a_server_that_is_down_changes_nothing_and_is_told(plant):
    plant.drive.close()
    plant.controller.stop()
    try:
        with pytest.raises(SourceUnreachableError):
            plant.run()
        assert "연결" in plant.alert()
    finally:
        plant.controller.start()
    assert plant.found("회전축", "kim") == ALL
    plant.run()
    assert plant.alert() == ""
    assert plant.found("회전축", "kim") == ALL
