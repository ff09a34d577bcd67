"""Small PDFs and pictures of pages, made in the test, and a way to parse them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from contracts.documents import Block, BlockKind, Layer, ParsedDocument
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import SpoolContext, full_budget
from parsers.registry import parser_for

FONT = "korea"


class Maker:
    """A PDF that grows by calls; sizes and places in points."""

    def __init__(self) -> None:
        self.pdf = pymupdf.open()
        self.page = self.pdf.new_page()

    def new_page(self, width: float = 595, height: float = 842) -> pymupdf.Page:
        """Start another page."""
        self.page = self.pdf.new_page(width=width, height=height)
        return self.page

    def text(self, x: float, y: float, text: str, size: float = 10, **options: object) -> None:
        """Write at a baseline."""
        self.page.insert_text((x, y), text, fontname=FONT, fontsize=size, **options)

    def lines(self, x: float, y: float, *texts: str, size: float = 10, step: float = 14) -> None:
        """Write lines one below the other."""
        for index, text in enumerate(texts):
            self.text(x, y + index * step, text, size)

    def grid(self, xs: list[float], ys: list[float]) -> None:
        """Draw the borders of a table."""
        for y in ys:
            self.page.draw_line((xs[0], y), (xs[-1], y))
        for x in xs:
            self.page.draw_line((x, ys[0]), (x, ys[-1]))

    def data(self, **options: object) -> bytes:
        """The file."""
        return self.pdf.tobytes(**options)

    def picture(self, dpi: int = 200) -> Image.Image:
        """The page as a scanner would see it."""
        pixmap = self.page.get_pixmap(dpi=dpi, colorspace=pymupdf.csRGB)
        return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)


@pytest.fixture
def maker() -> Maker:
    return Maker()


@pytest.fixture
def new_maker() -> type[Maker]:
    return Maker


@pytest.fixture
def parse(tmp_path: Path) -> Callable[..., ParsedDocument]:
    """``parse(bytes or image, ocr={...}, **limits)``: the format follows from the content."""

    def run(
        content: bytes | Image.Image, *, ocr: dict[str, object] | None = None, **limits: int
    ) -> ParsedDocument:
        format_name = "pdf"
        if isinstance(content, Image.Image):
            buffer = io.BytesIO()
            content.save(buffer, "PNG", dpi=(200, 200))
            content, format_name = buffer.getvalue(), "png"
        elif content.startswith((b"II*", b"MM\0*")):
            format_name = "tiff"
        elif content.startswith(b"\x89PNG"):
            format_name = "png"
        path = tmp_path / "made.bin"
        path.write_bytes(content)
        spool = tmp_path / "spool"
        spool.mkdir(exist_ok=True)
        settings = ParseSettings(**limits)
        context = SpoolContext(
            limits=settings,
            ocr=OcrSettings(**(ocr or {})),
            budget=full_budget(settings),
            spool_folder=spool,
            container_bytes=len(content),
        )
        source = ParserInput(path=path, name="made", format=format_name)
        return parser_for(format_name).load().parse(source, context)

    return run


@pytest.fixture
def body() -> Callable[[ParsedDocument], list[str]]:
    """Texts of the body in order, a table as its rows."""

    def texts(document: ParsedDocument) -> list[str]:
        out: list[str] = []
        for block in document.blocks:
            if block.layer is Layer.BODY:
                out += rows_of(block) if block.table else [block.text]
        return out

    return texts


def rows_of(block: Block) -> list[str]:
    assert block.kind is BlockKind.TABLE
    assert block.table is not None
    return [
        " | ".join(cell.text for cell in block.table.cells if cell.row == row)
        for row in range(block.table.rows)
    ]
