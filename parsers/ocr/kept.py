"""Recognised pages to bytes and back, and the one way in which parsers recognise a page."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import msgspec

from contracts.documents import Word
from parsers.common.paged.ruling import Rule
from parsers.common.paged.textline import TextLine
from parsers.ocr.prepare import Placement
from parsers.ocr.recognizer import RecognisedPage, RecognitionProblem

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.parsing import RecognisedPages

__all__ = ["decode_page", "encode_page", "problem_page", "recognised"]


def recognised(
    pages: RecognisedPages, number: int, recognise: Callable[[], RecognisedPage]
) -> RecognisedPage:
    """A page as it was recognised before, or now.

    Args:
        pages: What was recognised before, and whether this page may be now.
        number: Of the page, from 1.
        recognise: Recognises it.

    Raises:
        RecognitionProblem: the engine failed, now or before.
        PageWaits: it is to be recognised in another job.
    """
    data = pages.get(number)
    if data is not None:
        return decode_page(data)
    try:
        page = recognise()
    except RecognitionProblem as problem:
        pages.put(number, problem_page(str(problem)))
        raise
    pages.put(number, encode_page(page))
    return page


def encode_page(page: RecognisedPage) -> bytes:
    """A recognised page as MessagePack."""
    return msgspec.msgpack.encode(page, enc_hook=_plain)


def problem_page(why: str) -> bytes:
    """What is kept of a page that could not be recognised."""
    return msgspec.msgpack.encode({"problem": why})


def decode_page(data: bytes) -> RecognisedPage:
    """What :func:`encode_page` was given.

    Raises:
        RecognitionProblem: the page could not be recognised.
    """
    values: dict[str, Any] = msgspec.msgpack.decode(data)
    if "problem" in values:
        raise RecognitionProblem(values["problem"])
    placement = values["prepared"]
    return RecognisedPage(
        **{
            **values,
            "lines": tuple(_line(line) for line in values["lines"]),
            "horizontal": tuple(Rule(**rule) for rule in values["horizontal"]),
            "vertical": tuple(Rule(**rule) for rule in values["vertical"]),
            "prepared": Placement(**{**placement, "original": tuple(placement["original"])}),
        }
    )


def _plain(value: Any) -> Any:
    if isinstance(value, array):
        return value.tobytes()
    raise NotImplementedError(type(value).__name__)


def _line(values: dict[str, Any]) -> TextLine:
    edges = array("f")
    edges.frombytes(values["edges"])
    words = tuple(Word(**{**word, "box": tuple(word["box"])}) for word in values["words"])
    return TextLine(**{**values, "box": tuple(values["box"]), "edges": edges, "words": words})
