"""Generated captions of figures: a port, and its one adapter, an OpenAI-compatible endpoint that sees pictures.

Off unless ``[vision]`` names an address. Pictures leave the machine for that address, nothing else does. They are cut
out in a parse process; the request is made here, in the process that holds the key, never where files are opened.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from contracts.documents import Block, BlockKind, Layer, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contracts.documents import Box, ParsedDocument
    from contracts.settings import VisionSettings

__all__ = ["GENERATED", "FigureDescriber", "NotDescribed", "described", "describer_of"]

GENERATED = "생성된 설명 (generated)"
"""Label of every generated block, so that nobody takes it for the document's own words."""

_FORMATS = frozenset({"pdf"})
_LEAST_SIDE = 72.0
_LONGEST = 2000


class NotDescribed(Exception):
    """The endpoint gave no description; the message says why, without document text."""


class FigureDescriber(Protocol):
    """Pictures to words.

    Promises: one call is bounded in time; a failure is :class:`NotDescribed`.
    """

    def describe(self, picture: bytes, caption: str) -> str:
        """Say in a few sentences what a picture (PNG) shows; ``caption`` is the document's own, or ""."""
        ...


class ChatEndpoint:
    """``POST <url>/chat/completions`` with the picture as a data address (OpenAI's chat API, vision).

    Args:
        settings: Address, model, key, question, time limit.
    """

    def __init__(self, settings: VisionSettings) -> None:
        self._settings = settings

    def describe(self, picture: bytes, caption: str) -> str:
        """See :class:`FigureDescriber`."""
        import httpx

        settings = self._settings
        question = f"{settings.prompt}\n{caption}".strip()
        address = "data:image/png;base64," + base64.b64encode(picture).decode()
        content = [
            {"type": "text", "text": question},
            {"type": "image_url", "image_url": {"url": address}},
        ]
        key = settings.key.get_secret_value() if settings.key else ""
        try:
            answer = httpx.post(
                settings.url.rstrip("/") + "/chat/completions",
                json={
                    "model": settings.model,
                    "messages": [{"role": "user", "content": content}],
                    "temperature": 0,
                    "max_tokens": settings.max_tokens,
                },
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=settings.timeout_seconds,
            )
            answer.raise_for_status()
            text = answer.json()["choices"][0]["message"]["content"]
        except httpx.HTTPStatusError as problem:
            raise NotDescribed(f"HTTP {problem.response.status_code}") from problem
        except httpx.HTTPError as problem:
            raise NotDescribed(type(problem).__name__) from problem
        except (ValueError, LookupError, TypeError) as problem:
            raise NotDescribed("the answer is no chat completion") from problem
        return " ".join(str(text or "").split())[:_LONGEST]


def describer_of(settings: VisionSettings) -> FigureDescriber | None:
    """The configured describer; None where there is none."""
    return ChatEndpoint(settings) if settings.url else None


def described(
    document: ParsedDocument,
    describer: FigureDescriber,
    most: int,
    cut: Callable[[Sequence[tuple[int, Box]]], Sequence[bytes]],
) -> ParsedDocument:
    """The document with a generated note behind each of its larger figures, ``most`` at most.

    Generated blocks have the origin ``generated``, the layer ``notes`` and :data:`GENERATED` as label. The first
    failure ends the attempts; a warning says how many figures stay without.

    Args:
        document: As parsed.
        describer: What looks at the pictures.
        most: Figures of one document.
        cut: Gives a PNG for each place (page, box in points).
    """
    places = _figures(document)[:most] if document.format in _FORMATS else []
    if not places:
        return document
    boxes = [(document.blocks[at].position.page or 1, _box(document.blocks[at])) for at in places]
    notes: dict[int, str] = {}
    why = ""
    try:
        for at, picture in zip(places, cut(boxes), strict=True):
            notes[at] = describer.describe(picture, document.blocks[at].label)
    except NotDescribed as problem:
        why = str(problem)
    blocks: list[Block] = []
    for index, block in enumerate(document.blocks):
        blocks.append(block)
        if notes.get(index):
            blocks.append(
                Block(
                    kind=BlockKind.NOTE,
                    text=notes[index],
                    label=GENERATED,
                    layer=Layer.NOTES,
                    position=block.position,
                    origin=Origin.GENERATED,
                    confidence=0.0,
                )
            )
    warnings = document.warnings
    if why:
        warnings += (f"{len(places) - len(notes)} figures without a generated caption ({why})",)
    return replace(document, blocks=tuple(blocks), warnings=warnings)


def _figures(document: ParsedDocument) -> list[int]:
    return [
        index
        for index, block in enumerate(document.blocks)
        if block.kind is BlockKind.FIGURE
        and block.layer is Layer.BODY
        and block.position.page is not None
        and block.position.box is not None
        and min(_sides(_box(block))) >= _LEAST_SIDE
    ]


def _box(block: Block) -> Box:
    assert block.position.box is not None  # noqa: S101  only such blocks were chosen
    return block.position.box


def _sides(box: Box) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]
