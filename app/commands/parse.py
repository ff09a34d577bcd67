"""``seoga parse``: files to Markdown or JSON, without catalog and index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.tree import ParsedNode

__all__ = ["command"]

_FAILED = 3
_HARMLESS = frozenset({"unsupported", "empty"})
"""Members that nobody misses: pictures of programs, files of 0 bytes."""


@click.command("parse", short_help="문서를 Markdown/JSON 으로 (files to Markdown or JSON).")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "output",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    show_default=True,
    help="출력 형식 (output format).",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="결과 폴더; 여러 파일이면 필요 (folder for the results; several files need it).",
)
def command(paths: tuple[Path, ...], output: str, out: Path | None) -> None:
    """문서를 읽어 Markdown 또는 JSON 으로 출력합니다. 카탈로그와 색인은 쓰지 않습니다.

    Reads files, with attachments and archive members, and prints them; folders are walked. One file goes to
    standard output; several need --out. Exit status 3: a file could not be read, or an attachment or member of it is
    locked or damaged (the rest is printed). One line on standard error says why, and what to do.
    """
    files = list(_files(paths))
    several = len(files) != 1 or any(path.is_dir() for path in paths)
    if several and out is None:
        msg = "여러 파일에는 --out 폴더가 필요합니다 (several files need --out)"
        raise click.UsageError(msg)
    status = _parse_all(files, output, out)
    if status:
        sys.exit(status)


def _files(paths: tuple[Path, ...]) -> Iterator[tuple[Path, Path]]:
    """Files with the relative name that their result has below the output folder."""
    for path in paths:
        if not path.is_dir():
            yield path, Path(path.name)
            continue
        for file in sorted(path.rglob("*")):
            if file.is_file():
                yield file, file.relative_to(path)


def _parse_all(files: list[tuple[Path, Path]], output: str, out: Path | None) -> int:
    """Parse one after the other; the exit status."""
    import tempfile

    from contracts.settings import load_settings
    from parsers.pool import ParsePool
    from parsers.tree import Unfolding

    settings = load_settings()
    limits = settings.parse.model_copy(update={"workers": 1})
    failed = False
    with ParsePool(limits, settings.ocr, vision=settings.vision) as pool:
        for file, relative in files:
            with tempfile.TemporaryDirectory(prefix="seoga-spool-") as spool:
                node = Unfolding(pool, Path(spool)).parse_tree(file, file.name)
            failed |= _report_failure(node, file if len(files) > 1 else None)
            failed |= _report_members(node, file if len(files) > 1 else None)
            if out is not None:
                _write_file(node, output, out / relative)
            elif node.result.document is not None:
                _write(node, output, sys.stdout.buffer)
    return _FAILED if failed else 0


def _report_failure(node: ParsedNode, file: Path | None) -> bool:
    failure = node.result.failure
    if failure is None:
        return False
    from contracts.errors import ParseFailure

    reason = " ".join(str(ParseFailure(failure, node.result.detail)).split())
    click.echo(f"{file}: {reason}" if file else reason, err=True)
    return True


def _report_members(node: ParsedNode, file: Path | None) -> bool:
    """One line about members that are locked or damaged: the first of them, and how many there are."""
    from contracts.errors import ParseFailure

    lost = [
        (member.member_path, member.result.failure, member.result.detail)
        for member in node.walk()
        if member.member_path and member.result.failure not in (None, *_HARMLESS)
    ]
    if not lost:
        return False
    path, failure, detail = lost[0]
    assert failure is not None  # noqa: S101  chosen so above
    reason = " ".join(f"{' / '.join(path)}: {ParseFailure(failure, detail)}".split())
    more = f" (+{len(lost) - 1})" if len(lost) > 1 else ""
    click.echo(f"{file}: {reason}{more}" if file else f"{reason}{more}", err=True)
    return True


def _write_file(node: ParsedNode, output: str, target: Path) -> None:
    if node.result.document is None:
        return
    extension = ".md" if output == "markdown" else ".json"
    target = target.with_name(target.name + extension)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        _write(node, output, file)


def _write(node: ParsedNode, output: str, file: BinaryIO) -> None:
    if output == "json":
        import msgspec

        file.write(msgspec.json.format(msgspec.json.encode(_plain(node))) + b"\n")
        return
    from parsers.markdown import tree_lines

    file.writelines(line.encode("utf-8", "replace") + b"\n" for line in tree_lines(node))


def _plain(node: ParsedNode) -> dict[str, object]:
    result = node.result
    return {
        "name": node.name,
        "path": list(node.member_path),
        "format": result.format,
        "failure": result.failure.value if result.failure else None,
        "detail": result.detail,
        "document": result.document,
        "children": [_plain(child) for child in node.children],
    }
