"""Korean analysis: the one place where text becomes search terms, for indexing and for queries.

Every index backend stores what :meth:`Analyzer.terms` gives and looks up what :meth:`Analyzer.query` gives, so that
all of them rank alike. A term holds no white space and is folded already; backends compare terms byte by byte.

Of one text come, in this order within a line:

- codes, numbers and Latin words: whole (``eq-press-07``), squeezed (``eqpress07``) and in pieces (``eq``, ``press``,
  ``07``); a number with its unit as ``12.5nm``, ``12.5`` and ``nm``;
- dates as ISO 8601 writes them, each with its month (``2024-01-13``, ``2024-01``), and quarters (``2024-q3``), however
  they are written;
- morphemes that carry meaning (nouns, stems, adverbs), Hanja also by their reading;
- 2-grams of Hangul and Hanja, marked with ``_`` (``_토크``), so that a backend can tell them from words.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["GRAM", "TOKENIZERS", "Analyzer", "fold"]

GRAM = "_"
"""First character of a 2-gram term; no other term starts with it."""

_VERSION = 2
"""Raised whenever the same text would give other terms: an index must then be made anew."""

# -- folding ---------------------------------------------------------------------------------------

_CLEAN = {
    **dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF]),
    **dict.fromkeys([*range(0x20), 0x7F], " "),
    0x0A: "\n",
    0x0D: "\n",
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-"),
    **dict.fromkeys(map(ord, "ㆍ‧∙⋅・･"), "·"),
    **dict.fromkeys(map(ord, "〜～∼"), "~"),
    **dict.fromkeys(map(ord, "∕⁄"), "/"),
    **dict.fromkeys(map(ord, "‘’ʼ′"), "'"),
}
# ① would join its neighbours as "1", and ² a number before it.
_CLEAN |= {code: f" {unicodedata.normalize('NFKC', chr(code))} " for code in range(0x2460, 0x2500)}
_SUPERSCRIPT = re.compile(r"(?<=\d)[²³¹⁰⁴-⁹]")
# Compatibility Jamo (ㄱ, ㅏ) must stay as typed: NFKC turns them into conjoining ones.
_JAMO = re.compile(r"([ㄱ-ㆎ]+)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def fold(text: str) -> str:
    """Fold width, case, composition and look-alikes; for comparing codes and names too.

    Decomposed file names (NFD) are composed, full-width and unit signs (㎜, ㈜, Ω) written out, dashes and middle dots
    made one, invisible characters removed; line breaks stay, other control characters become spaces.
    """
    text = _SURROGATE.sub(" ", text).translate(_CLEAN)
    text = _SUPERSCRIPT.sub(r"^\g<0>", text)
    parts = _JAMO.split(text)
    parts[::2] = [unicodedata.normalize("NFKC", part).casefold() for part in parts[::2]]
    return unicodedata.normalize("NFC", "".join(parts))


# -- codes, numbers, Latin words -------------------------------------------------------------------

_LETTER = "a-zß-öø-ɏͰ-ϿЀ-ӿ"
_UNITS = (
    "kgf[·.*-]?cm|kgf[·.*-]?m|n[·.*-]?mm|n[·.*-]?m|kn|n|kgf|kg|mg|g|mm|cm|km|μm|um|nm|m|mpa|kpa|gpa|pa|bar|psi|"
    "°c|°f|°|%|‰|rpm|kv|mv|v|ma|a|kwh|kw|w|khz|mhz|ghz|hz|ms|μs|sec|s|min|hr|h|ml|cc|l|db|lux|kω|mω|ω|hrc|hv|hb|"
    "ppm|ea|pcs|t"
)
_MEASURE = re.compile(
    rf"(?<![0-9{_LETTER}._^-])(?P<number>\d+(?:\.\d+)?)[ ]?(?P<unit>{_UNITS})(?![0-9{_LETTER}])"
)
_RUN = re.compile(
    rf"(?:[가-힣]{{1,6}}-(?=[0-9{_LETTER}-]*\d))?[0-9{_LETTER}]+(?:[-_./·+&:][0-9{_LETTER}]+)*"
)
_SEPARATOR = re.compile(r"[-_./·+&:*]")
_BOUNDARY = re.compile(rf"(?<=\d)(?=[{_LETTER}])|(?<=[{_LETTER}])(?=\d)")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 100
"""Characters of a term; what is longer is no word but data."""

_SQUEEZED = 6
"""Digits that make a squeezed number (``20240113``) worth a term of its own."""

_WHOLE, _PART = 1.5, 0.5
"""Query weights of a whole code and of its pieces, beside 1.0 for a word."""


def _run_terms(run: str) -> Iterator[tuple[str, float]]:
    """Terms of one code, number or Latin word, with their query weights."""
    if len(run) > _LONGEST:
        pieces = [piece for piece in _SEPARATOR.split(run) if len(piece) <= _LONGEST]
        yield from ((piece, 1.0) for piece in pieces)
        return
    if _DECIMAL.fullmatch(run):
        yield run, 1.0
        return
    pieces = _SEPARATOR.split(run)
    if len(pieces) == 1:
        halves = _BOUNDARY.split(run)
        if len(halves) == 2 and max(map(len, halves)) > 1:  # noqa: PLR2004  rev3, 12mm, sop12
            yield run, _WHOLE
            yield from ((half, _PART) for half in halves)
        else:
            yield run, 1.0
        return
    yield run, _WHOLE
    squeezed = "".join(pieces)
    if len(squeezed) >= _SQUEEZED or not squeezed.isdigit():
        yield squeezed, _PART
    yield from ((piece, _PART) for piece in pieces)


def _measure_terms(number: str, unit: str) -> Iterator[tuple[str, float]]:
    """Terms of a number with its unit: ``12.5 N·m``, ``12.5N.m`` and ``12.5Nm`` give the same."""
    unit = _SEPARATOR.sub("", unit)
    yield f"{number}{unit}", _WHOLE
    yield number, _PART
    yield unit, _PART


# -- dates -----------------------------------------------------------------------------------------

_YEAR = r"(?:(?P<year>(?:19|20)\d{2})|'(?P<short>\d{2}))"
_DATE = re.compile(
    rf"(?<![\d.-]){_YEAR}(?:\s?년\s?|\s?[-./]\s?)(?P<month>1[0-2]|0?[1-9])"
    r"(?:(?:\s?월\s?|\s?[-./]\s?)(?P<day>3[01]|[12]\d|0?[1-9])(?:\s?일)?(?![\d/])|\s?월|(?=[^\d./-]|$))"
)
_QUARTER = re.compile(
    rf"(?<![\d.-]){_YEAR}(?:\s?년도?\s?|\s?[-./]\s?|\s)(?:제\s?)?(?P<quarter>[1-4])(?:\s?/\s?4(?:\s?분기)?|\s?분기)(?!\d)"
)
_MONTH_WEIGHT = 0.5


def _date_terms(line: str) -> Iterator[tuple[str, float]]:
    """Terms of the dates of a line; a date without a year is none."""
    for match in _QUARTER.finditer(line):
        yield f"{_year(match)}-q{match['quarter']}", _WHOLE
    for match in _DATE.finditer(_QUARTER.sub(" ", line)):
        month = f"{_year(match)}-{int(match['month']):02}"
        if match["day"]:
            yield f"{month}-{int(match['day']):02}", _WHOLE
            yield month, _MONTH_WEIGHT
        else:
            yield month, _WHOLE


def _year(match: re.Match[str]) -> str:
    return match["year"] or f"20{match['short']}"


# -- morphemes -------------------------------------------------------------------------------------

_KOREAN = re.compile(r"[가-힣一-鿿㐀-䶿]")
_HANGUL = re.compile(r"[가-힣]+")
_HANGUL_OR_HANJA = re.compile(r"[가-힣]+|[一-鿿㐀-䶿]+")
_LIGHT = frozenset(
    {
        "하",
        "되",
        "있",
        "없",
        "이",
        "않",
        "같",
        "지니",
        "그렇",
        "대하",
        "위하",
        "통하",
        "따르",
        "관하",
        "의하",
    }
)
"""Stems that say nothing of what a text is about, and stand in a third of all passages."""

_LINE = 4000
"""Longest piece that a tokenizer gets at once, in characters."""


class Tokenizer(Protocol):
    """Finds the morphemes of a line that carry meaning."""

    def morphemes(self, line: str) -> list[str]:
        """Surfaces, stems and readings, in order."""
        ...


class _Bigrams:
    """No morphemes: 2-grams alone."""

    def morphemes(self, line: str) -> list[str]:  # noqa: ARG002
        return []


class _Mecab:
    """MeCab with the mecab-ko dictionary; tags of the 21st Century Sejong project."""

    _KEPT = frozenset({"NNG", "NNP", "NNBC", "NR", "VV", "VA", "MAG", "XR", "SH"})

    def __init__(self) -> None:
        from mecab import MeCab
        from mecab.utils import create_lattice

        # the package's own parse() makes an object of every field of every morpheme, which takes most of its time
        self._tagger = MeCab()._tagger  # noqa: SLF001
        self._lattice = create_lattice
        self._lock = threading.Lock()

    def morphemes(self, line: str) -> list[str]:
        lattice = self._lattice(line)
        with self._lock:
            if not self._tagger.parse(lattice):
                raise ValueError(f"MeCab: {self._tagger.what()}")
            found = [(node.surface, node.feature) for _, node in lattice]
        return [term for surface, feature in found for term in _mecab_terms(surface, feature)]


@lru_cache(maxsize=50_000)
def _mecab_terms(surface: str, feature: str) -> tuple[str, ...]:
    """Terms of a node of mecab-ko-dic: ``tag,meaning,final,reading,type,first tag,last tag,expression``."""
    if not _KOREAN.search(surface):
        return ()
    pos, _, _, reading, kind, _, _, expression = feature.split(",")
    tags = pos.split("+")
    if tags[0] not in _Mecab._KEPT and tags[0] != "UNKNOWN":  # noqa: SLF001
        return ()
    parts = [part.split("/") for part in expression.split("+")]
    if kind == "Inflect":  # 조여 = 조이/VV + 어/EC: only the stem
        return (parts[0][0],)
    terms = [surface]
    if kind == "Compound":
        terms += [part[0] for part in parts if part[1] in _Mecab._KEPT]  # noqa: SLF001
    if reading not in {"*", surface} and not _HANGUL.fullmatch(surface):
        terms.append(reading)
    return tuple(terms)


class _Kiwi:
    """Kiwi (optional extra ``kiwi``); loads in a second and takes about 330 MB."""

    _KEPT = frozenset({"NNG", "NNP", "NNB", "NR", "VV", "VA", "MAG", "XR", "SH"})

    def __init__(self) -> None:
        try:
            from kiwipiepy import Kiwi
        except ImportError as problem:
            raise ConfigError(
                "search.tokenizer = kiwi needs the extra 'kiwi'",
                advice="pip install 'seoga[kiwi]', or set the tokenizer to mecab",
            ) from problem
        self._kiwi = Kiwi(num_workers=1, load_multi_dict=False, load_typo_dict=False)

    def morphemes(self, line: str) -> list[str]:
        return [
            token.form
            for token in self._kiwi.tokenize(line)
            if token.tag.split("-")[0] in self._KEPT and _KOREAN.search(token.form)
        ]


TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "mecab": _Mecab,
    "kiwi": _Kiwi,
    "bigram": _Bigrams,
}
"""Tokenizers by the name that ``search.tokenizer`` gives."""


def _grams(text: str) -> Iterator[str]:
    """2-grams of every run of Hangul or of Hanja.

    A run of one character stands for itself, unless it clings to a number or code (``07의``, ``3원``).
    """
    for match in _HANGUL_OR_HANJA.finditer(text):
        run = match.group()
        if len(run) == 1 and text[max(0, match.start() - 1) : match.start()].isalnum():
            continue
        for start in range(max(1, len(run) - 1)):
            yield GRAM + run[start : start + 2]


# -- the analyzer ----------------------------------------------------------------------------------


class Analyzer:
    """Text to terms.

    Safe for use by several threads. The tokenizer is loaded with the first text that needs it.

    Args:
        tokenizer: A key of ``TOKENIZERS``.
        gram_weight: Weight of a 2-gram in a query beside 1.0 for a word; unused where 2-grams stand alone. Words and
            2-grams say much the same twice; the figures are in ``docs/decisions/0002-korean-analysis.md``.

    Raises:
        ConfigError: no such tokenizer.
    """

    def __init__(self, tokenizer: str = "mecab", *, gram_weight: float = 0.5) -> None:
        if tokenizer not in TOKENIZERS:
            raise ConfigError(
                f"search.tokenizer: there is no {tokenizer!r}",
                advice=f"use one of {', '.join(TOKENIZERS)}",
            )
        self._name = tokenizer
        self._gram_weight = gram_weight
        self._lock = threading.Lock()
        self._tokenizer: Tokenizer | None = None

    @property
    def name(self) -> str:
        """Name of the tokenizer."""
        return self._name

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text would give other terms."""
        return f"{self._name}-{_VERSION}"

    def terms(self, text: str) -> tuple[str, ...]:
        """Terms of a text, with repeats, as they are stored."""
        return tuple(term for term, _ in self._weighted(text))

    def query(self, text: str) -> dict[str, float]:
        """Terms of a query with their weights (positive); each once, with its largest weight."""
        weights: dict[str, float] = {}
        for term, weight in self._weighted(text):
            weights[term] = max(weight, weights.get(term, 0.0))
        return weights

    def _weighted(self, text: str) -> Iterator[tuple[str, float]]:
        for line in _lines(fold(text)):
            yield from _date_terms(line)
            rest, found = _take_runs(_THOUSANDS.sub("", line))
            yield from found
            if not _KOREAN.search(rest):
                continue
            for morpheme in self._load().morphemes(rest):
                if morpheme not in _LIGHT:
                    yield morpheme.replace(" ", ""), 1.0
            gram_weight = 1.0 if self._name == "bigram" else self._gram_weight
            yield from ((gram, gram_weight) for gram in _grams(rest))

    def _load(self) -> Tokenizer:
        if self._tokenizer is None:
            with self._lock:
                if self._tokenizer is None:
                    self._tokenizer = TOKENIZERS[self._name]()
        return self._tokenizer


def _lines(text: str) -> Iterator[str]:
    """Lines, long ones cut at a space."""
    for line in text.split("\n"):
        while len(line) > _LINE:
            cut = line.rfind(" ", 0, _LINE)
            cut = cut if cut > 0 else _LINE
            yield line[:cut]
            line = line[cut:]  # noqa: PLW2901
        yield line


def _take_runs(line: str) -> tuple[str, list[tuple[str, float]]]:
    """Terms of codes, numbers and Latin words, and the line with codes blanked out.

    A code becomes one ``A``: particles after it are then still told as such.
    """
    found: list[tuple[str, float]] = []

    def measure(match: re.Match[str]) -> str:
        found.extend(_measure_terms(match["number"], match["unit"]))
        return "1A"

    def run(match: re.Match[str]) -> str:
        found.extend(_run_terms(match.group()))
        korean = _HANGUL.match(match.group())
        if korean:
            return f"{korean.group()} A"
        return match.group() if match.group().isdigit() else "A"

    # Measures leave a "1" that must not be taken for a number of the text.
    pieces: list[str] = []
    end = 0
    for match in _MEASURE.finditer(line):
        pieces += [_RUN.sub(run, line[end : match.start()]), measure(match)]
        end = match.end()
    pieces.append(_RUN.sub(run, line[end:]))
    return "".join(pieces), found
