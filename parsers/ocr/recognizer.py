"""A picture of a page to lines of text with places and confidence."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from contracts.documents import Word
from parsers.common.paged.textline import TextLine, cover, is_hangul, is_wide
from parsers.ocr.align import Spelled, aligned
from parsers.ocr.codes import correct_codes, correct_plus_minus
from parsers.ocr.engine import EngineError, engine_named
from parsers.ocr.prepare import Placement, Prepared, prepare, turns_to_try
from parsers.ocr.segment import columns, find_rules, without_rules

if TYPE_CHECKING:
    from PIL import Image

    from contracts.documents import Box
    from contracts.settings import OcrSettings
    from parsers.common.paged.ruling import Rule
    from parsers.ocr.engine import Engine, Reading

__all__ = ["RecognisedPage", "RecognitionProblem", "Recognizer", "lines_of", "placed"]

_TIMEOUT = 60.0
_ONE_COLUMN = 4
_ONE_BLOCK = 6
_MARGIN = 6.0
_FEW_LINES = 60.0  # points; below, the engine's search for columns finds nothing at times
_DOUBTFUL = 0.62
_KOREAN = "kor"
_SOME_HANGUL = 0.1
_MOSTLY_HANGUL = 0.5
_SURE = 75.0
_HEAD_START = 8.0
_CELL_GAP = 1.6


class RecognitionProblem(Exception):
    """A page could not be recognised; the message says why, one line for the operator."""


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """What recognition found, in points of the page made upright and level.

    Attributes:
        lines: Pieces of lines with their words.
        horizontal: Ruled lines.
        vertical: Ruled lines.
        prepared: How the page was turned and levelled (``prepared.back`` leads to the page as given).
        confidence: Mean of the words, 0 to 1; 0 without words.
    """

    lines: tuple[TextLine, ...]
    horizontal: tuple[Rule, ...]
    vertical: tuple[Rule, ...]
    prepared: Placement
    confidence: float


class Recognizer:
    """Recognises pages with the configured engine.

    Args:
        settings: Engine, languages, resolution.
    """

    def __init__(self, settings: OcrSettings) -> None:
        self._settings = settings
        self._engine: Engine | None = None
        self._other_script = False  # the region before was not Korean: this one may be neither

    def problem(self) -> str:
        """Why nothing can be recognised here, one line; "" where it can."""
        if not self._settings.enabled:
            return "recognition is switched off (ocr.enabled)"
        return self._ready().problem(self._settings.languages)

    def _ready(self) -> Engine:
        if self._engine is None:
            self._engine = engine_named(self._settings.engine)
        return self._engine

    def read(self, image: Image.Image, dpi: float, *, may_turn: bool = True) -> RecognisedPage:
        """Recognise one page.

        Args:
            image: Picture of the page.
            dpi: Its resolution.
            may_turn: The page may stand on its side or head.

        Raises:
            RecognitionProblem: the engine failed or did not end in time.
        """
        self._other_script = False  # a page reads the same whatever was read before it
        try:
            turns = turns_to_try(image.convert("L"), dpi) if may_turn else (0,)
            return self._best(image, dpi, turns)
        except EngineError as problem:
            raise RecognitionProblem(str(problem)) from problem

    def _best(self, image: Image.Image, dpi: float, turns: tuple[int, ...]) -> RecognisedPage:
        """The first turn, unless its words are doubtful and the other reads better."""
        best: RecognisedPage | None = None
        for turn in turns:
            prepared = prepare(image, dpi, self._settings.dpi, turn=turn)
            page = self._page(prepared)
            if best is None or page.confidence > best.confidence:
                best = page
            if best.confidence >= _DOUBTFUL or not best.lines:
                break
        assert best is not None  # noqa: S101  turns is never empty
        return best

    def _page(self, prepared: Prepared) -> RecognisedPage:
        horizontal, vertical = find_rules(prepared.image, prepared.dpi)
        clean = without_rules(prepared.image, prepared.dpi, horizontal, vertical)
        lines: list[TextLine] = []
        for box in columns(clean, prepared.dpi):
            lines += self._column(clean, prepared.dpi, box)
        words = [word.confidence for line in lines for word in line.words]
        mean = sum(words) / len(words) if words else 0.0
        rules = tuple(horizontal), tuple(vertical)
        return RecognisedPage(tuple(lines), *rules, prepared.placement, mean)

    def _column(self, image: Image.Image, dpi: float, box: Box) -> list[TextLine]:
        """Recognise one region; its lines in points of the page."""
        pixel = dpi / 72
        left, top = max(0, int((box[0] - _MARGIN) * pixel)), max(0, int((box[1] - _MARGIN) * pixel))
        right, bottom = int((box[2] + _MARGIN) * pixel), int((box[3] + _MARGIN) * pixel)
        crop = image.crop((left, top, min(right, image.width), min(bottom, image.height)))
        words = correct_plus_minus(crop, self._words(crop, dpi))
        shift = (left / pixel, top / pixel)
        return [piece for line in words for piece in lines_of(line, 1 / pixel, shift)]

    def _words(self, crop: Image.Image, dpi: float) -> list[list[Spelled]]:
        """Words of each line, Korean and other scripts each with the model that reads them best.

        Both models at once read Hangul words as Latin ones (``교체할`` as ``WAS``): the Korean one goes
        first, alone; what is not Hangul is read again with the others.
        """
        first, others = self._models()
        layout = _ONE_BLOCK if crop.height < _FEW_LINES * dpi / 72 else _ONE_COLUMN
        if others and self._other_script:
            plain = aligned(self._read(crop, others, layout, dpi))
            if _mean(plain) > _SURE:
                return plain
        words = aligned(self._read(crop, first, layout, dpi))
        if not others or not any(words):
            return words
        share, mean = _hangul_share(words), _mean(words)
        if share < _MOSTLY_HANGUL or mean < _SURE:
            again = aligned(self._read(crop, others, layout, dpi))
            # The Korean model is sure of itself on Latin text, too: without Hangul it does not count.
            if _mean(again) > mean - (_HEAD_START if share < _SOME_HANGUL else 0.0):
                self._other_script = True
                return again
        self._other_script = False
        return correct_codes(crop, words, lambda sheet: self._read(sheet, others, _ONE_BLOCK, dpi))

    def _models(self) -> tuple[str, str]:
        """The model for the first pass and those for the second ("" for none)."""
        names = self._settings.languages.split("+")
        if _KOREAN not in names or len(names) == 1:
            return self._settings.languages, ""
        return _KOREAN, "+".join(name for name in names if name != _KOREAN)

    def raw(self, image: Image.Image, layout: int, dpi: float) -> Reading:
        """The engine's reading of a picture as it is.

        Raises:
            RecognitionProblem: the engine failed or did not end in time.
        """
        try:
            return self._read(image, self._models()[0], layout, dpi)
        except EngineError as problem:
            raise RecognitionProblem(str(problem)) from problem

    def _read(self, image: Image.Image, languages: str, layout: int, dpi: float) -> Reading:
        return self._ready().read(
            image, languages=languages, layout=layout, dpi=round(dpi), timeout=_TIMEOUT
        )


def _hangul_share(lines: list[list[Spelled]]) -> float:
    """Share of Hangul among the letters."""
    letters = [char for line in lines for word in line for char in word.text if char.isalpha()]
    return sum(map(is_hangul, letters)) / len(letters) if letters else 0.0


def _mean(lines: list[list[Spelled]]) -> float:
    """Mean confidence, weighted by length."""
    words = [word for line in lines for word in line]
    letters = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / letters if letters else 0.0


def lines_of(line: list[Spelled], scale: float, shift: tuple[float, float]) -> list[TextLine]:
    """One recognised line (boxes in pixels) in points, cut where a gap is as wide as between cells."""
    words = [
        Word(
            w.text,
            (
                w.box[0] * scale + shift[0],
                w.box[1] * scale + shift[1],
                w.box[2] * scale + shift[0],
                w.box[3] * scale + shift[1],
            ),
            round(calibrated(w.confidence), 4),
        )
        for w in line
        if any(char.isalnum() for char in w.text) or len(line) > 1
    ]
    if not words:
        return []
    heights = sorted(w.box[3] - w.box[1] for w in words)
    size = heights[len(heights) // 2]
    groups: list[list[Word]] = [[words[0]]]
    for last, word in pairwise(words):
        if word.box[0] - last.box[2] > _CELL_GAP * size:
            groups.append([word])
        else:
            groups[-1].append(word)
    return [_line(group, size) for group in groups]


def _line(words: list[Word], size: float) -> TextLine:
    text = " ".join(word.text for word in words)
    edges = array("f")
    for index, word in enumerate(words):
        left, _, right, _ = word.box
        if index:
            edges.append(words[index - 1].box[2])
        step = (right - left) / len(word.text)
        edges.extend(left + i * step for i in range(len(word.text)))
    edges.append(words[-1].box[2])
    weight = sum(len(word.text) for word in words)
    confidence = sum(word.confidence * len(word.text) for word in words) / weight
    # The ink of a Hangul syllable is about nine tenths of its em, that of Latin capitals seven.
    em = size * (1.1 if sum(map(is_wide, text)) * 2 > len(text) else 1.25)
    return TextLine(
        text=text,
        box=cover(word.box for word in words),
        size=em,
        edges=edges,
        confidence=round(confidence, 4),
        words=tuple(words),
    )


def calibrated(confidence: float) -> float:
    """The engine's confidence (0 to 100) as the share of such words that are right (0 to 1)."""
    return min(1.0, max(0.0, confidence / 100))


def placed(line: TextLine, prepared: Placement) -> TextLine:
    """A line with its box and words on the page as given."""
    words = tuple(replace(word, box=prepared.back(word.box)) for word in line.words)
    box = prepared.back(line.box)
    shift = box[0] - line.box[0]
    edges = array("f", [x + shift for x in line.edges])
    return replace(line, box=box, words=words, edges=edges)
