"""Control files that appear, disappear or break after the first ingest: never an opening, always an alert."""

from __future__ import annotations

import os

import pytest

from app.controls import decide, invents_modes
from app.sources import add_source
from app.wiring import open_catalog, source_run
from contracts.errors import ConfigError, SourceUnreachableError, UnknownReaderError
from contracts.settings import SourceSettings

EVERYBODY = "nobody@local"


@pytest.fixture
def share(drive):
    """Two documents, one of them the board's."""
    drive.write("공개.txt", "납품 단가 공개본")
    drive.write("비밀/원가.txt", "납품 단가 비밀본")
    drive.ingest()
    assert drive.found("납품 단가", "lee") == ["공개.txt"]
    assert len(drive.found("납품 단가", "kim")) == 2
    return drive


@pytest.mark.parametrize("broken", ["missing", "malformed", "not ours", "empty"])
def test_lists_that_can_no_longer_be_read_let_nobody_through_until_they_can(share, broken):
    lists = share.root / "acl.yaml"
    kept = lists.read_bytes()
    if broken == "missing":
        lists.unlink()
    elif broken == "not ours":
        os.chown(lists, 61077, 61077)
    else:
        lists.write_text("" if broken == "empty" else "folders: {'': [{allow: everyone}]", "utf-8")
    for run in (share.sync, share.ingest):
        with pytest.raises(ConfigError, match=r"acl\.yaml"):
            run()
    for reader in ("kim", "lee", EVERYBODY, "root@local"):
        assert share.found("납품 단가", reader) == []
    assert "acl.yaml" in share.alert()
    lists.unlink(missing_ok=True)
    lists.write_bytes(kept)
    share.sync()
    assert share.alert() == ""
    assert share.found("납품 단가", "lee") == ["공개.txt"]
    assert len(share.found("납품 단가", "kim")) == 2


def test_a_dry_run_over_broken_lists_changes_nothing(share):
    (share.root / "acl.yaml").write_text("folders: [", encoding="utf-8")
    with share.kit() as kit, pytest.raises(ConfigError):
        source_run(kit, share.source(kit), dry_run=True)
    assert share.found("납품 단가", "lee") == ["공개.txt"]


def test_a_drive_that_is_not_there_closes_nothing(share):
    away = share.root.with_name("away")
    share.root.rename(away)
    with pytest.raises(SourceUnreachableError):
        share.sync()
    with share.kit() as kit:
        assert all(scope.readable for scope in kit.catalog.scopes.all("drive"))
    away.rename(share.root)


def test_lists_that_appear_on_a_drive_with_its_own_permissions_are_not_followed(posix):
    posix.source_options = {"acl": {"above_root": False}}
    posix.write("a.txt", "납품 단가").chmod(0o600)
    posix.ingest()
    posix.write("acl.yaml", "realm: local\nfolders: {'': [{allow: everyone}]}\n")
    posix.write("directory.yaml", "realm: plant\nusers: {mallory: {}}\n")
    posix.sync()
    assert posix.found("납품 단가", EVERYBODY) == []
    assert "seoga source accept drive" in posix.alert()
    with pytest.raises(UnknownReaderError):
        posix.hits("납품 단가", "mallory")


def test_what_the_operator_accepts_is_followed(posix):
    posix.source_options = {"acl": {"above_root": False}}
    posix.write("a.txt", "납품 단가").chmod(0o600)
    posix.ingest()
    posix.write("acl.yaml", "realm: plant\nfolders: {'': [{allow: user:kim}]}\n")
    posix.write("directory.yaml", "realm: plant\nusers: {kim: {}}\n")
    with posix.kit() as kit:
        decide(kit.catalog, posix.source(kit), anew=True)
    posix.sync()
    assert posix.alert() == ""
    assert posix.found("납품 단가", "kim") == ["a.txt"]


def test_lists_in_folders_below_the_root_decide_nothing(share):
    share.write("비밀/acl.yaml", "realm: plant\nfolders: {'': [{allow: everyone}]}\n")
    share.write("비밀/directory.yaml", "realm: plant\nusers: {lee: {groups: [board]}}\n")
    share.ingest()
    assert share.found("납품 단가", "lee") == ["공개.txt"]


def test_lists_of_what_is_not_there_raise_an_alert(share):
    lists = share.root / "acl.yaml"
    lists.write_text(
        lists.read_text("utf-8") + "  비 밀: []\nfiles: {비밀: []}\n", encoding="utf-8"
    )
    share.sync()
    assert "비 밀" in share.alert()
    assert "files: 비밀" in share.alert()


def test_sources_within_one_another_are_refused_from_the_settings_too(share):
    """One document under two lists would be found by the readers of either."""
    inner = SourceSettings(name="inner", root=share.root / "비밀")
    share.options["sources"] = [inner]
    (share.root / "비밀" / "acl.yaml").write_text("folders: {'': [{allow: everyone}]}")
    with share.kit() as kit, pytest.raises(ConfigError, match="overlaps"):
        source_run(kit, inner)
    with open_catalog(share.settings()) as catalog, pytest.raises(ConfigError, match="overlaps"):
        add_source(catalog, SourceSettings(name="third", root=share.root / "비밀"), origin="path")


def test_a_root_that_is_a_link_is_one_folder_throughout_a_run(posix):
    """Lists of one folder with the documents of another would be anybody's."""
    posix.write("a.txt", "납품 단가 공개")
    other = posix.root.with_name("other")
    other.mkdir()
    (other / "a.txt").write_text("납품 단가 비밀 9999원", encoding="utf-8")
    (other / "a.txt").chmod(0o600)
    link = posix.root.with_name("link")
    link.symlink_to(posix.root)
    linked = SourceSettings.model_validate(
        {"name": "drive", "root": link, "acl": {"kind": "posix", "above_root": False}}
    )
    posix.options["sources"] = [linked]
    with posix.kit() as kit:
        run = source_run(kit, linked)
        link.unlink()
        link.symlink_to(other)
        run.content()
    assert not any("9999" in h.text for h in posix.hits("납품 단가", EVERYBODY))
    posix.ingest()
    assert not any("9999" in h.text for h in posix.hits("납품 단가", EVERYBODY))
    assert posix.found("납품 단가", "root@local") == ["a.txt"]


@pytest.mark.parametrize(("kind", "invented"), [("cifs", True), ("exfat", True), ("ext4", False)])
def test_modes_that_a_mount_makes_up_are_no_permissions(kind, invented):
    assert invents_modes(kind) is invented


def test_one_broken_source_does_not_keep_the_others_from_being_followed(share, tmp_path):
    """``a`` comes before ``drive``; what ``drive`` takes back must count although ``a`` is broken."""
    from click.testing import CliRunner

    from app.commands.acl import command

    broken = tmp_path / "a"
    broken.mkdir()
    (broken / "acl.yaml").write_text("folders: {}", encoding="utf-8")
    with share.kit() as kit:
        settings = SourceSettings(name="a", root=broken)
        add_source(kit.catalog, settings, origin="path")
        source_run(kit, settings).permissions()
    (broken / "acl.yaml").write_text("folders: [", encoding="utf-8")
    share.acl("realm: plant\nfolders: {'': [{allow: group:board}]}\n")
    environ = {"SEOGA_HOME": str(share.home), "SEOGA_EMBEDDER__ENGINE": "hash"}
    done = CliRunner(env=environ).invoke(command, ["sync"])
    assert done.exit_code == 2
    assert share.found("납품 단가", "lee") == []
