"""Parsed documents survive the way through bytes."""

from __future__ import annotations

import pytest

from contracts.documents import (
    Block,
    BlockKind,
    Cell,
    Child,
    ChildRelation,
    Layer,
    Origin,
    PageQuality,
    ParsedDocument,
    Position,
    Quality,
    Table,
    Word,
)
from parsers.codec import CodecError, decode_document, encode_document

INNER = Table(cells=(Cell(0, 0, "안"),), rows=1, columns=1)
DOCUMENT = ParsedDocument(
    format="pdf",
    title="작업 표준",
    properties={"author": "김", "pages": "2"},
    blocks=(
        Block(kind=BlockKind.HEADING, text="1. 목적", level=1, position=Position(page=1, box=(0.5, 1.0, 2.0, 3.0))),
        Block(
            kind=BlockKind.TABLE,
            layer=Layer.HIDDEN,
            origin=Origin.OCR,
            confidence=0.5,
            table=Table(
                cells=(Cell(0, 0, "가", row_span=2, tables=(INNER,)), Cell(0, 1, "나")),
                rows=2, columns=2, header_rows=1, row_numbers=(3, 4), column_numbers=(2, 3),
            ),
            words=(Word("가", (0.0, 0.0, 1.0, 1.0), 0.9),),
        ),
    ),
    children=(Child(name="a.zip", relation=ChildRelation.MEMBER, failure="corrupt", detail="CRC"),),
    quality=Quality(grade="C", reasons=("OCR",), pages=(PageQuality(page=1, ocr_confidence_mean=0.5),)),
    warnings=("x",),
)  # fmt: skip


def test_round_trip_keeps_everything():
    assert decode_document(encode_document(DOCUMENT)) == DOCUMENT


def test_equal_documents_give_equal_bytes():
    assert encode_document(DOCUMENT) == encode_document(decode_document(encode_document(DOCUMENT)))


def test_lone_surrogates_become_replacement_characters():
    document = ParsedDocument(
        format="txt", blocks=(Block(kind=BlockKind.PARAGRAPH, text="a\udc80b"),)
    )
    assert decode_document(encode_document(document)).blocks[0].text == "a\ufffdb"


def test_other_versions_and_damaged_bytes_are_refused():
    data = encode_document(DOCUMENT)
    for other in (b"", b"junk", data[:40], data[:15] + b"\xff\xff" + data[17:]):
        with pytest.raises(CodecError):
            decode_document(other)
