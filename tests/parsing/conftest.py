"""Parse bytes as one format, in this process, with a spool folder of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import SpoolContext, full_budget
from parsers.registry import parser_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from contracts.documents import ParsedDocument


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


@pytest.fixture
def parse_as(tmp_path: Path, spool: Path) -> Callable[..., ParsedDocument]:
    def parse(data: bytes, format_name: str, name: str = "x", **limits: int) -> ParsedDocument:
        path = tmp_path / "file"
        path.write_bytes(data)
        settings = ParseSettings(**limits)
        context = SpoolContext(
            limits=settings,
            ocr=OcrSettings(enabled=False),
            budget=full_budget(settings),
            spool_folder=spool,
            container_bytes=len(data),
        )
        source = ParserInput(path=path, name=name, format=format_name)
        return parser_for(format_name).load().parse(source, context)

    return parse
