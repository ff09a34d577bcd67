"""Parse small files that the tests make themselves."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from contracts.documents import Block, BlockKind, Layer, ParsedDocument, Table
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import SpoolContext, full_budget
from parsers.legacy.converter import converter_for, find_office
from parsers.registry import parser_for

Parse = Callable[..., ParsedDocument]


@pytest.fixture
def libreoffice() -> Path:
    """LibreOffice's program folder; a machine without it fails, it does not skip."""
    found = find_office("auto")
    if found is None:
        pytest.fail("LibreOffice is not installed on this machine: scripts/setup.sh test")
    return found


@pytest.fixture
def spool_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


@pytest.fixture
def parse(tmp_path: Path, spool_folder: Path) -> Parse:
    """``parse(path or bytes, format, **limits)``."""

    def run(content: Path | bytes, format_name: str, **limits: object) -> ParsedDocument:
        if isinstance(content, bytes):
            path = tmp_path / "made.bin"
            path.write_bytes(content)
        else:
            path = content
        settings = ParseSettings.model_validate(limits)
        context = SpoolContext(
            limits=settings,
            ocr=OcrSettings(),
            budget=full_budget(settings),
            spool_folder=spool_folder,
            container_bytes=path.stat().st_size,
        )
        source = ParserInput(path=path, name=path.name, format=format_name)
        return parser_for(format_name, settings.alternatives).load().parse(source, context)

    return run


@pytest.fixture
def zipped(tmp_path: Path) -> Callable[[dict[str, str | bytes], str], Path]:
    """A zip file of named parts."""

    def build(parts: dict[str, str | bytes], name: str) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            for part, content in parts.items():
                package.writestr(part, content)
        return path

    return build


class Look:
    """Questions that a reader would ask of a parsed document."""

    def __init__(self, document: ParsedDocument) -> None:
        self.document = document

    def texts(self, *kinds: BlockKind, layer: Layer | None = None) -> list[str]:
        """Texts of blocks, in order."""
        return [
            block.text
            for block in self.document.blocks
            if (not kinds or block.kind in kinds) and (layer is None or block.layer is layer)
        ]

    def tables(self, layer: Layer = Layer.BODY) -> list[Table]:
        """Tables of one layer."""
        return [b.table for b in self.document.blocks if b.table and b.layer is layer]

    def everything(self, layer: Layer | None = None) -> str:
        """All labels, texts and cells."""
        parts = []
        for block in self.document.blocks:
            if layer is None or block.layer is layer:
                parts += [block.label, block.text, *_table_texts(block)]
        return "\n".join(parts)

    @staticmethod
    def grid(table: Table) -> list[list[str]]:
        """Texts by row and column; a merged cell stands at its top left only."""
        rows = [[""] * table.columns for _ in range(table.rows)]
        for cell in table.cells:
            rows[cell.row][cell.column] = cell.text
        return rows

    @staticmethod
    def address(table: Table, value: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Header path and row key of a value, blank keys filled from above, as a reader's eye does."""
        at = next(c for c in table.cells if c.text == value and c.row >= table.header_rows)
        path = [
            next((c.text for c in table.cells if _covers(c, row, at.column)), "")
            for row in range(table.header_rows)
        ]
        keys = []
        for column in range(table.header_columns):
            above = range(at.row, table.header_rows - 1, -1)
            found = (c.text for row in above for c in table.cells if _covers(c, row, column))
            keys.append(next(found, ""))
        return tuple(p for p in dict.fromkeys(path) if p), tuple(keys)


def _covers(cell: object, row: int, column: int) -> bool:
    return (
        cell.row <= row < cell.row + cell.row_span  # type: ignore[attr-defined]
        and cell.column <= column < cell.column + cell.column_span  # type: ignore[attr-defined]
    )


def _table_texts(block: Block) -> Iterable[str]:
    def walk(table: Table) -> Iterable[str]:
        yield table.caption
        for cell in table.cells:
            yield cell.text
            for inner in cell.tables:
                yield from walk(inner)

    return walk(block.table) if block.table else ()


@pytest.fixture
def look() -> Callable[[ParsedDocument], Look]:
    return Look


@pytest.fixture
def converted(tmp_path):
    """Another format of a file, made by LibreOffice: an independent writer of old formats."""

    def run(path: Path, target: str) -> Path:
        made = tmp_path / f"{path.stem}.{target}"
        converter = converter_for("auto")  # the parser's own: starting it takes a second
        assert converter is not None
        assert converter.convert(path, made, target, 60)
        return made

    return run
