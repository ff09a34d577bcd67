"""The port that recognition engines stand behind, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["ENGINES", "Engine", "EngineError", "RawWord", "Reading", "engine_named"]


class EngineError(Exception):
    """The engine could not read this image (time limit, crash); the message says why."""


@dataclass(frozen=True, slots=True)
class RawWord:
    """A fragment that the engine found.

    Attributes:
        text: Never empty.
        box: Left, top, right, bottom in pixels of the image.
        confidence: The engine's own, 0 to 100.
        line: Same value for the fragments of one line, ascending in reading order.
    """

    text: str
    box: tuple[int, int, int, int]
    confidence: float
    line: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Text as the engine spaces it, line by line, and its fragments with their places."""

    text: str
    words: tuple[RawWord, ...]


class Engine(Protocol):
    """Pictures of text to text.

    Promises: one call is bounded by ``timeout`` seconds; the same image gives the same reading;
    a failure is an ``EngineError``.
    """

    def problem(self, languages: str) -> str:
        """Why the engine cannot be used on this machine, one line; "" where it can."""
        ...

    def read(
        self, image: Image.Image, *, languages: str, layout: int, dpi: int, timeout: float
    ) -> Reading:
        """Recognise an image.

        Args:
            image: Grey levels.
            languages: As Tesseract spells them, such as ``kor+eng``.
            layout: Page segmentation mode (4: one column, 6: one block, 7: one line).
            dpi: Resolution of the image.
            timeout: Seconds.

        Raises:
            EngineError: it did not end in time, or failed.
        """
        ...


ENGINES = {
    "pytesseract": "parsers.ocr.tesseract:CommandEngine",
    "tesserocr": "parsers.ocr.tesserocr_engine:LibraryEngine",
}


def engine_named(name: str) -> Engine:
    """The engine of that name (a key of ``ENGINES``), imported now."""
    module, _, class_name = ENGINES[name].partition(":")
    return cast("Engine", getattr(import_module(module), class_name)())
