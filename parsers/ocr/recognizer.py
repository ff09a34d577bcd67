"""A picture of a page to lines of text with places and confidence."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from contracts.documents import Word
from parsers.common.paged.textline import TextLine, cover, is_hangul, is_wide
from parsers.ocr.align import Spelled, aligned
from parsers.ocr.calibration import calibrated
from parsers.ocr.codes import correct_codes, correct_plus_minus
from parsers.ocr.engine import EngineError, engine_named
from parsers.ocr.lines import LineSheet
from parsers.ocr.prepare import Placement, Prepared, prepare, turns_to_try
from parsers.ocr.segment import find_rules, layout, without_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import Image

    from contracts.documents import Box
    from contracts.settings import OcrSettings
    from parsers.common.paged.ruling import Rule
    from parsers.ocr.engine import Engine, Reading

__all__ = [
    "RecognisedPage",
    "RecognitionProblem",
    "Recognizer",
    "lines_of",
    "placed",
    "without_strokes",
]

_TIMEOUT = 60.0
_ONE_COLUMN = 4
_ONE_BLOCK = 6
_DIRT_LENGTH = 6
_DIRT_CONFIDENCE = 45.0
_DOUBTFUL = 0.62
_KOREAN = "kor"
_A_WORD = 2
_WEAK = 70.0
_OTHER_SIZES = (0.75, 1.3, 0.5)
_MOSTLY_HANGUL = 0.5
_HARDLY_HANGUL = 0.25
_SURE = 75.0
_HEAD_START = 8.0
_CELL_GAP = 1.6
_BEFORE, _BEHIND = 0.3, 0.7
_UPRIGHT = frozenset("ㅣil|!")
_STROKES = frozenset("~`'\"^|\\/_=<>{}[]‘’“”.,:;")
"""What the engine makes of strokes; no list begins with one of these."""


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
        horizontal, vertical = find_rules(prepared.sharp, prepared.dpi)
        clean = without_rules(prepared.image, prepared.dpi, horizontal, vertical)
        pixel = prepared.dpi / 72
        found = layout(clean, prepared.dpi, horizontal, vertical)
        if found.crowded:
            words = aligned(self._read(clean, self._models()[0], _ONE_COLUMN, prepared.dpi))
        else:
            words = self._words(clean, prepared.dpi, found.regions)
        words = [_one(without_strokes(line)) for line in words if not _is_dirt(line)]
        words = correct_plus_minus(clean, words)
        lines = [piece for line in words for piece in lines_of(line, 1 / pixel, (0.0, 0.0))]
        sure = [word.confidence for line in lines for word in line.words]
        mean = sum(sure) / len(sure) if sure else 0.0
        rules = tuple(horizontal), tuple(vertical)
        return RecognisedPage(tuple(lines), *rules, prepared.placement, mean)

    def _words(
        self, page: Image.Image, dpi: float, regions: Sequence[Sequence[Box]]
    ) -> list[list[Spelled]]:
        """Words of each line, Korean and other scripts each with the model that reads them best.

        Both models at once read Hangul words as Latin ones (``교체할`` as ``WAS``): the Korean one goes
        first, alone; what is not Hangul is read again with the others.
        """
        first, others = self._models()
        boxes = [box for region in regions for box in region]
        if not others:
            return [line for lines in self._lines(page, dpi, boxes, first) for line in lines]
        words = self._lines(page, dpi, boxes, first)
        for scale in _OTHER_SIZES:
            words = self._again(page, dpi, boxes, words, first, scale)
        foreign = [i for i, lines in enumerate(words) if not _has_hangul(lines)]
        places = [boxes[i] for i in foreign]
        again = self._lines(page, dpi, places, others)
        for scale in _OTHER_SIZES:
            again = self._again(page, dpi, places, again, others, scale)
        out = {
            index: lines
            for index, lines in zip(foreign, again, strict=True)
            if any(lines) and _mean(lines) > _mean(words[index]) - _head_start(words[index])
        }
        rest = [i for i, lines in enumerate(words) if any(lines) and i not in out]
        if _hangul_share([out.get(i, lines) for i, lines in enumerate(words)]) < _HARDLY_HANGUL:
            # A page of another script: what reads as Hangul on it may be its letters.
            again = self._lines(page, dpi, [boxes[i] for i in rest], others)
            out |= {
                index: lines
                for index, lines in zip(rest, again, strict=True)
                if any(lines) and (_mean(lines) > _mean(words[index]) or _weak_latin(words[index]))
            }
        korean = [i for i in range(len(words)) if i not in out]
        own = [line for i in korean for line in words[i]]
        better = iter(
            correct_codes(page, own, lambda sheet: self._read(sheet, others, _ONE_BLOCK, dpi))
        )
        out |= {i: [next(better) for _ in words[i]] for i in korean}
        return [line for i in range(len(words)) for line in out[i]]

    def _again(
        self,
        page: Image.Image,
        dpi: float,
        boxes: Sequence[Box],
        words: list[list[list[Spelled]]],
        languages: str,
        scale: float,
    ) -> list[list[list[Spelled]]]:
        """Lines that read badly, read at another size; the reading that the engine believes more stays."""
        doubtful = [i for i, lines in enumerate(words) if _weak_words(lines)]
        if not doubtful:
            return words
        out = list(words)
        found = self._lines(page, dpi, [boxes[i] for i in doubtful], languages, scale)
        for index, lines in zip(doubtful, found, strict=True):
            if _mean(lines) > _mean(out[index]):
                out[index] = lines
        return out

    def _lines(
        self,
        page: Image.Image,
        dpi: float,
        boxes: Sequence[Box],
        languages: str,
        scale: float = 1.0,
    ) -> list[list[list[Spelled]]]:
        """Lines of words in each box, pixels of the page; starting the engine costs more than a line of text."""
        out: list[list[list[Spelled]]] = []
        for part in LineSheet.parts(boxes, dpi):
            sheet = LineSheet.of(page, dpi, [boxes[i] for i in part], scale)
            found = self._read(sheet.image, languages, _ONE_BLOCK, dpi * scale)
            out += sheet.given_back(aligned(found))
        return out

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


def _is_dirt(line: Sequence[Spelled]) -> bool:
    """A pen stroke, a stamp or dust: a few characters that the engine itself does not believe."""
    return not line or (
        sum(len(word.text) for word in line) <= _DIRT_LENGTH
        and max(word.confidence for word in line) < _DIRT_CONFIDENCE
    )


def without_strokes(line: Sequence[Spelled]) -> list[Spelled]:
    """A line without what stands off from either end of it and is no text: a pen's tick, the edge of a stamp, dust."""
    words = list(line)
    heights = sorted(word.box[3] - word.box[1] for word in words)
    size = max(1.0, heights[len(heights) // 2])  # the engine gives boxes without height, too
    while len(words) > 1 and _is_stroke(
        words[0], (words[1].box[0] - words[0].box[2]) / size, _BEFORE
    ):
        del words[0]
    while len(words) > 1 and _is_stroke(
        words[-1], (words[-1].box[0] - words[-2].box[2]) / size, _BEHIND
    ):
        del words[-1]
    return words


def _one(line: list[Spelled]) -> list[Spelled]:
    """A single upright stroke as a line of its own is the digit: the engine has nothing to compare it with."""
    if len(line) == 1 and line[0].text in _UPRIGHT:
        return [replace(line[0], text="1")]
    return line


def _is_stroke(word: Spelled, gap: float, least: float) -> bool:
    if set(word.text) <= _STROKES:
        return gap > least
    foreign = len(word.text) <= _DIRT_LENGTH and not any(map(is_hangul, word.text))
    return gap > _BEHIND and foreign and word.confidence < _DIRT_CONFIDENCE


def _weak_words(lines: list[list[Spelled]]) -> bool:
    """No word at all, or one with letters that the engine hardly believes."""
    words = [word for line in lines for word in line if any(map(str.isalnum, word.text))]
    return not words or min(word.confidence for word in words) < _WEAK


def _has_hangul(lines: list[list[Spelled]]) -> bool:
    """A word that is Hangul beyond doubt, or mostly Hangul: the Korean model is the one for this line."""
    words = [word for line in lines for word in line]
    sure = any(
        word.confidence >= _SURE and sum(map(is_hangul, word.text)) >= _A_WORD for word in words
    )
    letters = [char for word in words for char in word.text if char.isalpha()]
    hangul = sum(map(is_hangul, letters))
    return sure or (hangul > _MOSTLY_HANGUL * len(letters) and _mean(lines) >= _SURE)


def _hangul_share(boxes: Sequence[list[list[Spelled]]]) -> float:
    """Share of Hangul among the letters of a page, 0 to 1."""
    letters = [c for lines in boxes for line in lines for w in line for c in w.text if c.isalpha()]
    return sum(map(is_hangul, letters)) / max(1, len(letters))


def _weak_latin(lines: list[list[Spelled]]) -> bool:
    """No Hangul, and not sure: the Korean model has not read a line of its own script."""
    return _hangul_share([lines]) == 0 and _mean(lines) < _SURE


def _head_start(korean: list[list[Spelled]]) -> float:
    """How much less sure the other models may be: the Korean one is sure of itself on Latin text and digits, too.

    Where what it read is mostly Hangul, they must be the surer: a syllable has the shape of some Latin letters. Where it
    read nothing, they must be sure.
    """
    if not any(korean):
        return -_WEAK
    letters = [char for line in korean for word in line for char in word.text if char.isalpha()]
    return -_HEAD_START if sum(map(is_hangul, letters)) * 2 > len(letters) else _HEAD_START


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


def placed(line: TextLine, prepared: Placement) -> TextLine:
    """A line with its box and words on the page as given."""
    words = tuple(replace(word, box=prepared.back(word.box)) for word in line.words)
    box = prepared.back(line.box)
    shift = box[0] - line.box[0]
    edges = array("f", [x + shift for x in line.edges])
    return msgspec.structs.replace(line, box=box, words=words, edges=edges)
