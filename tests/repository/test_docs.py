"""The documents name only what exists: links, paths, commands, targets, settings, tests."""

from __future__ import annotations

import re
import shlex
import tomllib
import unicodedata
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

from app.cli import cli
from contracts.failures import FailureClass
from contracts.settings import Settings, SourceSettings, load_settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), ROOT / "NOTICE", *(ROOT / "docs").rglob("*.md")], key=lambda p: p.name
)
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"```.*?```", re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.(?:py|md|toml|txt|sh|jsonl|svg))(?![\w/-])")
STORED = {"seoga.toml", "acl.yaml", "directory.yaml"}
"""Files of an installation, not of the repository."""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _anchors(path: Path) -> set[str]:
    """Anchors that headings get where Markdown is shown: lower case, punctuation gone, spaces to hyphens."""
    found = set(re.findall(r'<a id="([^"]+)">', _text(path)))
    for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", _text(path)), re.MULTILINE):
        kept = [c for c in heading.lower() if c in " -_" or unicodedata.category(c)[0] in "LN"]
        found.add("".join(kept).replace(" ", "-"))
    return found


def _each(pattern: str) -> list[tuple[str, str]]:
    return [(path.name, found) for path in DOCUMENTS for found in re.findall(pattern, _text(path))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(document):
    broken = []
    for link in LINK.findall(FENCE.sub("", _text(document))):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        place, _, anchor = link.partition("#")
        target = (document.parent / place).resolve() if place else document
        if (
            not target.exists()
            or not target.is_relative_to(ROOT)
            or (anchor and anchor not in _anchors(target))
        ):
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_path_named_exists(document):
    named = {p for code in CODE.findall(_text(document)) for p in PATH.findall(code)}
    named |= {p for p in PATH.findall(FENCE.sub("", _text(document))) if p.split("/")[0] in FOLDERS}
    wanted = {
        p
        for p in named
        if p not in STORED and "NAME" not in p and (p.split("/")[0] in FOLDERS or "/" not in p)
    }
    here = {p for p in wanted if (ROOT / p).exists() or (document.parent / p).exists()}
    inside = {p for p in wanted - here if "/" not in p and any(ROOT.glob(f"*/**/{p}"))}
    assert not wanted - here - inside


def test_every_file_of_the_picture_exists():
    text = _text(ROOT / "docs/img/flow.svg")
    named = re.findall(r'class="at"[^>]*>([^<]+)<', text)
    assert len(named) > 20
    assert not [path for path in named if not (ROOT / path).exists()]


def test_every_command_named_exists_with_its_options():
    wrong = []
    for name, line in _each(r"(?:(?<=`)|(?<=bin/)|(?<=&& )|(?<=\n))seoga ([a-z][^`\n|;]*)"):
        words = shlex.split(re.split(r" #|…|\s{2,}", line)[0].replace("'", ""))
        command: click.Command | None = cli
        context = click.Context(cli)
        while isinstance(command, click.Group) and words:
            command = command.get_command(context, words.pop(0).strip(",.:)"))
        if command is None:
            wrong.append((name, line))
            continue
        options = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
        given = {w.split("=")[0] for w in words if w.startswith("--")}
        wrong += [(name, line, option) for option in given - options]
    assert not wrong


def test_every_command_that_exists_is_in_the_readme():
    commands = [p.stem.replace("_", "-") for p in (ROOT / "app/commands").glob("[a-z]*.py")]
    assert commands
    korean, _, english = _text(ROOT / "README.md").partition('<a id="english"></a>')
    for part in (korean, english):
        assert not [name for name in commands if f"`seoga {name}" not in part]


def test_every_make_target_named_exists():
    makefile = _text(ROOT / "Makefile")
    named = {n for _, n in _each(r"(?:`|^|\n)(?:[A-Z]+=\S+ )*make ([a-z-]+)(?=`|\s|$)")}
    assert {"demo", "test", "acceptance"} <= named
    assert not named - set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_the_example_of_settings_is_whole_and_true(tmp_path):
    block = re.search(
        r"```toml\n(# code_master.*?)```", _text(ROOT / "docs/operations.md"), re.DOTALL
    )
    assert block is not None
    config = tmp_path / "seoga.toml"
    config.write_text(block[1], encoding="utf-8")
    shown = tomllib.loads(block[1])
    found = load_settings({"SEOGA_HOME": str(tmp_path)})
    for name, field in Settings.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, BaseModel):
            assert getattr(found, name) == group(), f"[{name}] shows other values than the defaults"
            optional = {n for n, f in group.model_fields.items() if f.default is None}
            assert set(group.model_fields) - optional <= set(shown[name]), name
    named = set().union(*shown["sources"])
    assert {n for n, f in SourceSettings.model_fields.items() if f.default is not None} <= named
    assert named <= set(SourceSettings.model_fields)


def test_every_failure_class_has_its_advice_in_the_operations_page():
    text = _text(ROOT / "docs/operations.md")
    assert not [failure.value for failure in FailureClass if f"`{failure.value}`" not in text]


def test_every_test_named_exists():
    sources = "\n".join(_text(path) for path in (ROOT / "tests").rglob("test_*.py"))
    defined = set(re.findall(r"def (test_\w+)", sources))
    files = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    named = {n for _, n in _each(r"`(test_\w+)`")}
    assert named
    assert not named - defined - files


def test_every_decision_is_in_the_index():
    folder = ROOT / "docs/decisions"
    index = _text(folder / "README.md")
    pages = [page.name for page in folder.glob("[0-9]*.md")]
    assert pages
    assert not [page for page in pages if f"({page})" not in index]


def test_the_project_names_no_machine():
    """No paths of somebody's machine and no registry host, in any text file of the project."""
    host = "|".join(("files.pythonhosted" + r"\.org", "pypi" + r"\.org/simple", "index-url +http"))
    place = re.compile(rf"{host}|(?<![\w.])/(?:work|home|Users|root)/\w")
    files = [*DOCUMENTS, *ROOT.glob("*.txt"), *ROOT.glob("scripts/*"), ROOT / "Makefile"]
    found = [(f.name, place.findall(_text(f))) for f in files if f.is_file()]
    assert not [(name, hits) for name, hits in found if hits]
