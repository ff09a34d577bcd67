"""A container and everything within it, under one budget; and what ``seoga parse`` prints of it."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from click.testing import CliRunner

from app.commands.parse import command
from contracts.failures import FailureClass
from contracts.settings import OcrSettings, ParseSettings
from parsers.pool import ParsePool
from parsers.tree import Unfolding, children_of

MAIL = (
    "From: kim@plant.example\nTo: lee@plant.example\nSubject: 도면 송부\nMIME-Version: 1.0\n"
    'Content-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: text/plain; charset=utf-8\n\n'
    "첨부를 보세요 <b>\n--B\nContent-Type: message/rfc822\n\nFrom: park@plant.example\nSubject: 안쪽 메일\n\n속 본문\n--B--\n"
).encode()


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.fixture(scope="module")
def pool():
    limits = ParseSettings(workers=1, archive_depth=2, archive_members=6)
    with ParsePool(limits, OcrSettings(enabled=False)) as made:
        yield made


def tree_of(pool, folder, data: bytes, name: str):
    path = folder / "file"
    path.write_bytes(data)
    return Unfolding(pool, folder / "spool").parse_tree(path, name)


def test_members_of_members_are_parsed_each_with_its_outcome(pool, tmp_path):
    data = zip_of({"a.eml": MAIL, "b.xyz": b"\x01\x02\x03\xff" * 99, "c.hwp": b"SCDSA004\0\1\2"})
    tree = tree_of(pool, tmp_path, data, "묶음.zip")
    found = {"/".join(node.member_path): node.result for node in tree.walk()}
    assert list(found) == ["", "a.eml", "a.eml/안쪽 메일.eml", "b.xyz", "c.hwp"]
    assert found["a.eml/안쪽 메일.eml"].document.blocks[0].text == "속 본문"
    assert found["b.xyz"].failure is FailureClass.UNSUPPORTED
    assert found["c.hwp"].failure is FailureClass.DRM_SOFTCAMP


def test_containers_within_containers_end_at_the_limit(pool, tmp_path):
    data = MAIL
    for level in range(4):
        data = zip_of({f"{level}.zip" if level else "a.eml": data, "sound.eml": MAIL[:60]})
    tree = tree_of(pool, tmp_path, data, "a.zip")
    failures = [node.result.failure for node in tree.walk() if node.result.failure]
    assert FailureClass.ARCHIVE_BOMB in failures
    assert tree.children[-1].result.document is not None


def test_members_count_over_all_levels(pool, tmp_path):
    inner = zip_of({f"{n}.eml": MAIL[:70] + b"%d" % n for n in range(5)})
    tree = tree_of(pool, tmp_path, zip_of({"1.zip": inner, "2.zip": inner + b"x"}), "a.zip")
    parsed = [node for node in tree.walk() if node.child and node.child.sha256]
    assert len(parsed) == 6
    assert any(node.result.failure is FailureClass.ARCHIVE_BOMB for node in tree.walk())


def test_steps_give_what_the_whole_tree_gives(pool, tmp_path):
    path = tmp_path / "a.eml"
    path.write_bytes(MAIL)
    unfolding = Unfolding(pool, tmp_path / "spool")
    top = unfolding.parse_file(path, path.name)
    node = unfolding.parse_child(top, children_of(top)[0])
    assert node.member_path == ("안쪽 메일.eml",)
    assert (
        node.result.document == tree_of(pool, tmp_path, MAIL, "a.eml").children[0].result.document
    )


def test_a_copy_of_a_container_within_itself_is_not_unfolded(pool, tmp_path):
    path = tmp_path / "a.eml"
    path.write_bytes(MAIL)
    unfolding = Unfolding(pool, tmp_path / "spool")
    top = unfolding.parse_file(path, path.name)
    child = children_of(top)[0]
    same = unfolding.parse_child(unfolding.parse_child(top, child), child)
    assert same.result.failure is FailureClass.ARCHIVE_BOMB


def run(*arguments: str):
    return CliRunner().invoke(command, list(arguments))


def test_one_file_goes_to_standard_output_with_its_attachments(tmp_path):
    path = tmp_path / "a.eml"
    path.write_bytes(MAIL)
    result = run(str(path))
    assert result.exit_code == 0, result.output
    assert "# 도면 송부" in result.stdout
    assert "첨부를 보세요 &lt;b&gt;" in result.stdout
    assert result.stdout.index("안쪽 메일.eml") < result.stdout.index("속 본문")


def test_a_failure_is_one_line_with_class_and_advice_and_status_three(tmp_path):
    path = tmp_path / "a.hwp"
    path.write_bytes(b"")
    result = run(str(path))
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith("empty: ")
    assert result.stderr.count("\n") == 1


def test_several_files_need_a_folder_and_folders_are_walked(tmp_path):
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    (source / "a.eml").write_bytes(MAIL)
    (source / "sub" / "b.eml").write_bytes(MAIL)
    assert run(str(source)).exit_code == 2
    result = run(str(source), "--format", "json", "--out", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    shown = json.loads((tmp_path / "out" / "sub" / "b.eml.json").read_text(encoding="utf-8"))
    assert shown["document"]["title"] == "도면 송부"
    assert shown["children"][0]["document"]["blocks"][0]["text"] == "속 본문"
