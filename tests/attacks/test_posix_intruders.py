"""People with write rights somewhere on a drive try to read what is not theirs (POSIX permissions)."""

from __future__ import annotations

import os

import pytest

EVERYBODY = "nobody@local"
"""An account of every machine, who owns nothing."""


def tree(posix):
    """One open document, one in a folder that only root may enter."""
    posix.write("공개/a.txt", "납품 단가 공개본")
    secret = posix.write("secret/b.txt", "납품 단가 비밀본")
    secret.parent.chmod(0o700)
    secret.chmod(0o600)
    posix.ingest()
    assert posix.found("납품 단가", EVERYBODY) == ["공개/a.txt"]
    assert posix.found("납품 단가", "root@local") == ["secret/b.txt", "공개/a.txt"]
    return secret


def test_a_folder_named_like_a_scope_does_not_open_the_files_of_another(posix):
    """The name of a scope can be computed from what `ls -l` shows, so it must not be a possible path."""
    tree(posix)
    with posix.kit() as kit:
        scopes = kit.catalog.scopes.all("drive")
    for scope in scopes:
        name = scope.scope_id.removeprefix("drive:").strip("/")
        if name and not (posix.root / name).exists():
            (posix.root / name).mkdir(mode=0o777, parents=True)
    posix.sync()
    assert posix.found("납품 단가", EVERYBODY) == ["공개/a.txt"]


def test_a_folder_that_spells_the_bytes_of_another_has_lists_of_its_own(posix):
    """Written out, an EUC-KR name looks like a name with backslashes; both can exist."""
    raw = os.fsdecode(b"\xb1\xe2\xb9\xd0")
    posix.write(f"{raw}/b.txt", "납품 단가 비밀본").parent.chmod(0o700)
    posix.write(r"\xb1\xe2\xb9\xd0/a.txt", "납품 단가 공개본").parent.chmod(0o755)
    posix.ingest()
    with posix.kit() as kit:
        folders = [s.scope_id for s in kit.catalog.scopes.all("drive") if "xb1" in s.scope_id]
        documents = {d.path: d.scope_id for d in kit.catalog.documents.stream()}
    assert len(set(documents.values())) == 2
    assert len(folders) == 4  # two folders, each with the list of its file
    assert posix.found("납품 단가", EVERYBODY) == [r"\xb1\xe2\xb9\xd0/a.txt"]


def test_what_was_redacted_and_then_opened_shows_only_its_new_text(posix):
    """The index holds the old text until the next content run; the new permissions are not the old text's."""
    file = posix.write("보고.txt", "납품 단가 비밀 9999원")
    file.chmod(0o600)
    posix.ingest()
    assert posix.found("납품 단가", EVERYBODY) == []
    file.write_text("납품 단가 (삭제됨)", encoding="utf-8")
    file.chmod(0o644)
    posix.sync()
    assert [h.text for h in posix.hits("납품 단가", EVERYBODY)] == []
    posix.ingest()
    (hit,) = posix.hits("납품 단가", EVERYBODY)
    assert "9999" not in hit.text


def test_two_files_that_swap_names_never_swap_readers(posix):
    secret, public = (
        posix.write("a.txt", "납품 단가 비밀 9999원"),
        posix.write("b.txt", "납품 단가 공개"),
    )
    secret.chmod(0o600)
    posix.ingest()
    secret.rename(posix.root / "c")
    public.rename(posix.root / "a.txt")
    (posix.root / "c").rename(posix.root / "b.txt")
    for run in (posix.sync, posix.ingest, posix.sync):
        run()
        texts = [h.text for h in posix.hits("납품 단가", EVERYBODY)]
        assert not any("9999" in text for text in texts)
    assert posix.found("납품 단가", EVERYBODY) == ["a.txt"]


def test_a_file_replaced_between_listing_and_reading_waits_for_the_next_run(posix):
    """Its permissions are those of the object that was listed, not of the one that lies there now."""
    from app.wiring import source_run

    open_file = posix.write("a.txt", "납품 단가 공개")
    with posix.kit() as kit:
        source = posix.source(kit)
        run = source_run(kit, source)
        original = run._source.fetch
        hidden = posix.root.with_name("hidden.txt")
        hidden.write_text("납품 단가 비밀 9999원", encoding="utf-8")
        hidden.chmod(0o600)

        def fetch(item):
            if hidden.exists():
                hidden.replace(open_file)
            return original(item)

        run._source.fetch = fetch
        run.content()
    assert not any("9999" in h.text for h in posix.hits("납품 단가", EVERYBODY))
    posix.ingest()
    assert posix.found("납품 단가", EVERYBODY) == []
    assert posix.found("납품 단가", "root@local") == ["a.txt"]


def test_hard_links_have_the_rights_of_the_way_to_each(posix):
    secret = tree(posix)
    secret.chmod(0o644)
    os.link(secret, posix.root / "공개" / "link.txt")
    posix.ingest()
    assert posix.found("비밀본", EVERYBODY) == ["공개/link.txt"]
    (posix.root / "공개" / "link.txt").unlink()
    posix.sync()
    assert posix.found("비밀본", EVERYBODY) == []


def test_a_list_that_could_not_be_read_once_is_read_again(posix, monkeypatch):
    file = posix.write("a.txt", "납품 단가 공개")
    posix.ingest()
    real = os.getxattr

    def failing(path, *arguments, **options):
        if os.fspath(path).endswith("a.txt"):
            raise OSError(5, "Input/output error")
        return real(path, *arguments, **options)

    os.utime(file)
    with monkeypatch.context() as patched:
        patched.setattr(os, "getxattr", failing)
        posix.sync()
        assert posix.found("납품 단가", EVERYBODY) == []
    posix.sync()
    posix.ingest()
    assert posix.found("납품 단가", EVERYBODY) == ["a.txt"]


@pytest.mark.parametrize("mode", [0o644, 0o640])
def test_a_successor_that_was_closed_hides_nothing_any_more(posix, mode):
    posix.write("표준/WS-7_rev1.md", "# 작업표준 WS-7\n\n개정: 1\n\n조립 순서 가\n")
    newer = posix.write("표준/WS-7_rev2.md", "# 작업표준 WS-7\n\n개정: 2\n\n조립 순서 나\n")
    posix.ingest()
    assert posix.found("조립 순서", EVERYBODY) == ["표준/WS-7_rev2.md"]
    newer.chmod(0o600)
    posix.sync()
    (hit,) = posix.hits("조립 순서", EVERYBODY)
    assert (hit.path, hit.status) == ("표준/WS-7_rev1.md", "unknown")
    newer.chmod(mode)
    posix.sync()
    wanted = "표준/WS-7_rev2.md" if mode == 0o644 else "표준/WS-7_rev1.md"
    assert posix.found("조립 순서", EVERYBODY) == [wanted]


def test_a_successor_that_was_deleted_hides_nothing_any_more(posix):
    posix.write("표준/WS-7_rev1.md", "# 작업표준 WS-7\n\n개정: 1\n\n조립 순서 가\n")
    newer = posix.write("표준/WS-7_rev2.md", "# 작업표준 WS-7\n\n개정: 2\n\n조립 순서 나\n")
    posix.ingest()
    newer.unlink()
    posix.sync()
    (hit,) = posix.hits("조립 순서", EVERYBODY)
    assert (hit.path, hit.status) == ("표준/WS-7_rev1.md", "unknown")
