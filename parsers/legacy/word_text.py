"""Text of a Word paragraph, and what hangs on it: notes, comments, pictures, boxes (MS-DOC 2.4.1, 2.8.25)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from parsers.common.story_blocks import symbol_text
from parsers.legacy.word_file import Part, WordFile
from parsers.legacy.word_properties import PLAIN_RUN, Run, Style

__all__ = ["Content", "StoryText"]

_MARKS = re.compile(r"[\x00-\x08\x0b-\x1f\uf000-\uf0ff]")
_SYMBOLS = range(0xF000, 0xF100)
"""Where characters of symbol fonts stand in text."""
_PICTURE, _SHAPE = "\x01", "\x08"
_FIELD, _RESULT, _FIELD_END = "\x13", "\x14", "\x15"
_SHOWN = {"\x0b": "\n", "\x1e": "-"}
_PARAGRAPH_ENDS = re.compile(r"[\r\x07\x0c]")
_PAGE_BREAK = "\x0c"
_ENDS = frozenset("\r\x07\x0c")


@dataclass(slots=True)
class Content:
    """What a paragraph holds.

    Attributes:
        parts: Pieces of the visible text.
        hidden_parts: Pieces of the hidden text.
        objects: ``(kind, number)`` in order: ``shape`` with the CP of its anchor, ``picture`` with its place in the
            stream ``Data``, ``object`` with the number of what is embedded.
        references: CPs that notes and comments refer to.
        plain: Some visible letters are not bold.
        letters: There are visible letters.
        deleted: The mark at its end is a tracked deletion.
    """

    parts: list[str] = field(default_factory=list)
    hidden_parts: list[str] = field(default_factory=list)
    objects: list[tuple[str, int]] = field(default_factory=list)
    references: list[int] = field(default_factory=list)
    plain: bool = False
    letters: bool = False
    deleted: bool = False

    @property
    def text(self) -> str:
        """Visible text; tracked deletions are out, insertions in."""
        return "".join(self.parts).strip()

    @property
    def hidden(self) -> str:
        """Hidden text."""
        return "".join(self.hidden_parts).strip()


class StoryText:
    """Goes over a stretch of a story, paragraph by paragraph.

    Args:
        file: The file.
        story: CPs of the stretch.
        references: CPs that notes and comments refer to.
    """

    def __init__(self, file: WordFile, story: range, references: frozenset[int]) -> None:
        self._file = file
        self._story = story
        self._references = references
        self._runs = file.runs(story)
        self._run: tuple[int, int, Run] = (story.start, story.start, PLAIN_RUN)
        self._fields: list[bool] = []  # of those around: whether their result is reached

    def paragraphs(self) -> Iterator[tuple[int, int]]:
        """First and last CP of each paragraph, the last one being its mark."""
        text, start = self._file.text, self._story.start
        search = start
        while start < self._story.stop:
            match = _PARAGRAPH_ENDS.search(text, search, self._story.stop)
            end = match.start() if match else self._story.stop - 1
            search = end + 1
            if (
                match
                and text[end] == _PAGE_BREAK
                and search < self._story.stop
                and not self._file.ends_paragraph(end)
            ):
                continue
            yield start, end
            start = search

    def content(self, first: int, last: int, style: Style) -> Content:
        """What a paragraph of the story holds; to be asked for in order."""
        made = Content()
        at = first
        # The mark at the end shows nothing, unless something refers to it; most runs are plain without it.
        ends = self._file.text[last] in _ENDS and last not in self._references
        stop = last if ends else last + 1
        while at < stop:
            _, end, run = self._run_at(at, stop)
            upto = min(end, stop)
            self._take(made, at, upto, run, style)
            at = upto
        made.deleted = self._run_at(last, last + 1)[2].deleted
        return made

    def _run_at(self, at: int, stop: int) -> tuple[int, int, Run]:
        """The run of a CP, to be asked for in order; a plain one beyond what the file says of runs."""
        while self._run[1] <= at:
            self._run = next(self._runs, None) or (at, stop, PLAIN_RUN)
        return self._run

    def _take(self, made: Content, first: int, last: int, run: Run, style: Style) -> None:
        text = self._file.text[first:last]
        marked = _MARKS.search(text) is not None or run.special
        if not marked and self._references and not self._references.isdisjoint(range(first, last)):
            marked = True
        if marked:
            text = self._without_marks(made, text, first, run)
        elif run.deleted or not all(self._fields):
            return
        if not text:
            return
        hidden = style.hidden if run.hidden is None else run.hidden
        if hidden:
            made.hidden_parts.append(text)
            return
        made.parts.append(text)
        if text.strip():
            made.letters = True
            made.plain |= not run.bold

    def _without_marks(self, made: Content, text: str, first: int, run: Run) -> str:
        """The text of a run; marks of fields, notes and objects do what they stand for."""
        out: list[str] = []
        for at, character in enumerate(text, first):
            if character == _FIELD:
                self._fields.append(False)
            elif character == _RESULT and self._fields:
                self._fields[-1] = True
                if run.ole and run.picture is not None and not run.deleted:
                    made.objects.append(("object", run.picture))
            elif character == _FIELD_END and self._fields:
                self._fields.pop()
            elif run.deleted or not all(self._fields):
                continue
            else:
                if at in self._references:
                    made.references.append(at)
                out.append(self._shown(made, character, at, run))
        return "".join(out)

    def _shown(self, made: Content, character: str, at: int, run: Run) -> str:
        if run.special and run.symbol is not None:
            code, font = run.symbol
            return symbol_text(code, self._fonts.get(font, ""))
        if character == _PICTURE and run.picture is not None and not run.form:
            made.objects.append(("picture", run.picture))
        elif character == _SHAPE:
            made.objects.append(("shape", at))
        elif ord(character) in _SYMBOLS:
            return symbol_text(ord(character), "")
        elif character >= " " or character == "\t":
            return character
        return _SHOWN.get(character, "")

    @property
    def _fonts(self) -> dict[int, str]:
        return fonts_of(self._file)


def fonts_of(file: WordFile) -> dict[int, str]:
    """Names of fonts by number (SttbfFfn, 2.9.286; FFN, 2.9.89)."""
    data = file.part(Part.FONTS)
    count = int.from_bytes(data[:2], "little")
    found: dict[int, str] = {}
    at = 4
    for number in range(count):
        if at >= len(data):
            break
        size = data[at]
        name = data[at + 40 : at + 1 + size].decode("utf-16-le", "replace")
        found[number] = name.partition("\0")[0]
        at += 1 + size
    return found
