"""Rich Text Format without LibreOffice (RTF 1.9.1): paragraphs, headings, tables, notes, headers, list numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.office_quality import Findings, page_quality
from parsers.common.text_headings import with_headings
from parsers.legacy.rtf_tables import RowOfCells, table_of

__all__ = ["read_rtf"]

_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_MOST_DEPTH = 400
_PAGES = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
"""Code pages of ``\\fcharset``."""
_SIGNS = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "emspace": " ", "enspace": " ", "softline": "\n", "lbr": "\n",
}  # fmt: skip
_SYMBOLS = {b"~": "\N{NO-BREAK SPACE}", b"_": "-", b"{": "{", b"}": "}", b"\\": "\\"}
_SKIPPED = frozenset({
    "colortbl", "pict", "themedata", "colorschememapping", "datastore", "latentstyles", "listtable", "listoverridetable", "rsidtbl",
    "generator", "xmlnstbl", "fldinst", "objdata", "bkmkstart", "bkmkend", "nonshppict", "revtbl", "filetbl", "mmathPr", "pgptbl",
    "atnid", "atnref", "atntime", "atnparent", "datafield", "formfield", "operator", "shpinst", "sp", "private", "pntxta", "pntxtb", "pn",
    "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "template", "wgrffmtfilter", "docvar", "passwordhash",
})  # fmt: skip
_STORIES = {
    "header": "header", "headerl": "header", "headerr": "header", "headerf": "header", "footer": "footer", "footerl": "footer",
    "footerr": "footer", "footerf": "footer", "footnote": "footnote", "annotation": "annotation",
}  # fmt: skip
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords", "operator": "last_author", "company": "company", "doccomm": "comments"}  # fmt: skip
_HEADING = re.compile(r"(?:heading|제목|개요)\s*(\d)", re.IGNORECASE)


@dataclass(slots=True)
class _State:
    """Formatting of a group; the groups in it begin with a copy."""

    charset: str = "cp1252"
    skip_unicode: int = 1
    destination: str = ""
    hidden: bool = False
    deleted: bool = False
    table: bool = False
    style: int = 0
    outline: int = -1


@dataclass(slots=True)
class _Story:
    """A flow of text: the document, a header, a note."""

    blocks: list[Block] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    out_of_sight: list[str] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    remarks: list[Block] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    rows: list[RowOfCells] = field(default_factory=list)
    edges: list[tuple[int, str]] = field(default_factory=list)


def read_rtf(path: Path) -> ParsedDocument:
    """Read a document.

    Raises:
        ParseFailure: ``corrupt`` for what does not begin as RTF, ``truncated`` where no text came before the end.
    """
    data = path.read_bytes()
    if not data.startswith(b"{\\rtf"):
        raise ParseFailure(FailureClass.CORRUPT, "no RTF")
    reader = _Reader()
    whole = reader.read(data)
    story = reader.finished()
    blocks = story.blocks
    if not any(block.kind is BlockKind.HEADING for block in blocks):
        blocks = with_headings(blocks)
    blocks = [*reader.margins["header"], *blocks, *reader.margins["footer"]]
    findings = Findings()
    if not whole:
        if not blocks:
            raise ParseFailure(FailureClass.TRUNCATED, "groups are not closed")
        findings.partial.append("the file breaks off: groups are not closed")
    heading = next((b.text for b in blocks if b.kind is BlockKind.HEADING), "")
    return ParsedDocument(
        format="rtf",
        title=reader.properties.get("title", "") or heading,
        properties=reader.properties,
        blocks=tuple(blocks),
        quality=findings.quality([page_quality(1, blocks)]),
        warnings=tuple(findings.partial),
    )


class _Reader:
    """Takes the tokens of a file in order."""

    def __init__(self) -> None:
        self.properties: dict[str, str] = {}
        self.margins: dict[str, list[Block]] = {"header": [], "footer": []}
        self._state = _State()
        self._groups: list[tuple[_State, _Story | None]] = []
        self._stories = [_Story()]
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._styles: dict[int, int] = {}
        self._name: list[str] = []
        self._bytes = bytearray()
        self._to_skip = 0
        self._star = False
        self._default = "cp1252"
        self._notes = 0

    def read(self, data: bytes) -> bool:
        """Read all of it; False where it breaks off."""
        at = 0
        while match := _TOKEN.match(data, at):
            at = match.end()
            if match[1] == b"bin":
                at += max(0, int(match[2] or 0))  # so many bytes of anything
            elif match[5] == b"}" and not self._groups:
                break
            else:
                self._take(match)
        self._flush()
        return not self._groups

    def _take(self, token: re.Match[bytes]) -> None:
        word, number, code, symbol, brace, plain = token.groups()
        if word is not None:
            self._word(word.decode("ascii"), int(number) if number else None)
        elif code is not None:
            self._byte(int(code, 16))
        elif symbol is not None:
            self._symbol(symbol)
        elif brace is not None:
            if brace == b"{":
                self._open()
            else:
                self._close()
        for value in plain or b"":
            self._byte(value)

    def finished(self) -> _Story:
        """The document's story, closed."""
        while self._groups:
            self._close()
        _end_paragraph(self._stories[0], self._block)
        _end_table(self._stories[0])
        return self._stories[0]

    # -- groups ------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._flush()
        if len(self._groups) > _MOST_DEPTH:
            raise ParseFailure(FailureClass.CORRUPT, "groups are nested too deeply")
        self._groups.append((replace(self._state), None))
        self._star = False

    def _close(self) -> None:
        self._flush()
        destination = self._state.destination
        self._state, opened = self._groups.pop()
        if opened is not None:
            _end_paragraph(opened, self._block)
            _end_table(opened)
            self._stories.pop()
            self._keep(destination, opened)
        elif destination in _INFO and self._state.destination != destination:
            text = " ".join("".join(self._name).split())
            if text:
                self.properties[_INFO[destination]] = text
            self._name = []

    def _keep(self, destination: str, story: _Story) -> None:
        """Put a header, footer or note where it belongs."""
        if destination in self.margins:
            kind = BlockKind.HEADER if destination == "header" else BlockKind.FOOTER
            known = {block.text for block in self.margins[destination]}
            self.margins[destination] += [
                structs.replace(
                    block, kind=block.kind if block.table else kind, level=0, layer=Layer.FURNITURE
                )
                for block in story.blocks
                if block.table or block.text not in known
            ]
            return
        text = "\n".join(block.text for block in story.blocks if block.text)
        if text:
            label = ""
            if destination == "footnote":
                self._notes += 1
                label = str(self._notes)
            note = Block(kind=BlockKind.NOTE, text=text, label=label, layer=Layer.NOTES)
            self._stories[-1].remarks.append(note)

    # -- words -------------------------------------------------------------------------------------

    def _word(self, name: str, number: int | None) -> None:
        state = self._state
        if name == "u" and number is not None:
            self._flush()
            self._character(chr(number & 0xFFFF))
            self._to_skip = state.skip_unicode
            return
        self._flush()
        self._to_skip = 0
        if name in _SIGNS:
            self._character(_SIGNS[name])
        elif name in _STORIES and not state.destination:
            state.destination = _STORIES[name]
            self._stories.append(_Story())
            self._groups[-1] = (self._groups[-1][0], self._stories[-1])
            # A story of its own: what holds around it does not hold in it.
            state.table, state.style, state.outline = False, 0, -1
            state.destination = _STORIES[name]
        elif name in _SKIPPED or (self._star and name not in _KNOWN_STARS):
            state.destination = "skipped"
        elif name in ("fonttbl", "stylesheet", "info", "listtext", "pntext", *_INFO):
            if name in _INFO:
                self._name = []
            if state.destination != "skipped":
                state.destination = name
        else:
            self._format(name, number)
        self._star = False

    def _format(self, name: str, number: int | None) -> None:
        state = self._state
        on = number != 0
        if name == "ansicpg" and number:
            self._default = state.charset = f"cp{number}"
        elif name == "f" and number is not None:
            self._font = number
            state.charset = self._fonts.get(number, self._default)
        elif name == "fcharset" and number is not None and state.destination == "fonttbl":
            self._fonts[self._font] = (
                _PAGES.get(number, self._default) if number > 1 else self._default
            )
        elif name == "uc" and number is not None:
            state.skip_unicode = max(0, min(number, 8))
        elif name == "s" and number is not None:
            state.style = number
        elif name == "outlinelevel" and number is not None:
            state.outline = number
        elif name == "v":
            state.hidden = on
        elif name == "deleted":
            state.deleted = on
        elif name == "plain":
            state.hidden = state.deleted = False
        else:
            self._structure(name, number)

    def _structure(self, name: str, number: int | None) -> None:
        state = self._state
        if state.destination and state.destination not in _STORIES.values():
            return
        story = self._stories[-1]
        if name == "pard":
            state.table, state.style, state.outline = False, 0, -1
        elif name == "intbl":
            state.table = True
        elif name in ("par", "sect", "page"):
            _end_paragraph(story, self._block, table=state.table)
        elif name in ("cell", "nestcell"):
            _end_paragraph(story, self._block, table=True)
            story.cells.append("\n".join(story.lines))
            story.lines = []
        elif name == "trowd":
            story.edges = []
        elif name in ("clmrg", "clvmgf", "clvmrg"):
            story.edges.append((-1, name))
        elif name == "cellx" and number is not None:
            flags = " ".join(flag for edge, flag in story.edges if edge < 0)
            story.edges = [entry for entry in story.edges if entry[0] >= 0]
            story.edges.append((max(0, number), flags))
        elif name in ("row", "nestrow"):
            story.rows.append((story.cells, list(story.edges)))
            story.cells = []

    # -- characters --------------------------------------------------------------------------------

    def _byte(self, value: int) -> None:
        if self._to_skip:
            self._to_skip -= 1
        else:
            self._bytes.append(value)

    def _symbol(self, symbol: bytes) -> None:
        self._flush()
        if symbol == b"*":
            self._star = True
        elif symbol in (b"\r", b"\n"):
            self._word("par", None)
        elif symbol in _SYMBOLS:
            self._character(_SYMBOLS[symbol])

    def _flush(self) -> None:
        if not self._bytes:
            return
        raw = bytes(self._bytes)
        self._bytes.clear()
        try:
            text = raw.decode(self._state.charset, "replace")
        except LookupError:
            text = raw.decode("cp1252", "replace")
        if self._state.destination == "stylesheet":
            match = _HEADING.search(text)
            if match:
                self._styles[self._state.style] = int(match[1])
        else:
            self._character(text)

    def _character(self, text: str) -> None:
        state = self._state
        if state.destination in _INFO:
            self._name.append(text)
            return
        story = self._stories[-1]
        if state.destination in ("listtext", "pntext"):
            story.label.append(text)
        elif state.deleted or (state.destination and state.destination not in _STORIES.values()):
            return
        elif state.hidden:
            story.out_of_sight.append(text)
        else:
            story.text.append(text)

    def _block(self, text: str, label: str) -> Block:
        state = self._state
        level = state.outline + 1 if 0 <= state.outline < 9 else self._styles.get(state.style, 0)  # noqa: PLR2004
        if level:
            return Block(kind=BlockKind.HEADING, text=text, level=level, label=label)
        if label:
            mark = "" if label in "•·\uf0b7-" else label
            return Block(kind=BlockKind.LIST_ITEM, text=text, level=1, label=mark)
        return Block(kind=BlockKind.PARAGRAPH, text=text)


_KNOWN_STARS = frozenset({"annotation", "footnote", "shptxt", "shppict", "nesttableprops", "pntext", "listtext", "ud", "upr"})  # fmt: skip


# -- stories ---------------------------------------------------------------------------------------


def _end_paragraph(
    story: _Story, make: Callable[[str, str], Block], *, table: bool = False
) -> None:
    text = _joined(story.text)
    label = _joined(story.label)
    hidden = _joined(story.out_of_sight)
    story.text, story.label, story.out_of_sight = [], [], []
    if table:
        line = f"{label} {text}".strip()
        if line:
            story.lines.append(line)
    else:
        _end_table(story)
        if text:
            story.blocks.append(make(text, label))
    if hidden:
        story.blocks.append(Block(kind=BlockKind.PARAGRAPH, text=hidden, layer=Layer.HIDDEN))
    story.blocks += story.remarks
    story.remarks = []


def _joined(parts: list[str]) -> str:
    text = "".join(parts)
    # Characters beyond the basic plane come as two numbers.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "\n".join(line.strip() for line in text.replace("\0", "").split("\n")).strip()


def _end_table(story: _Story) -> None:
    if story.cells:
        story.rows.append((story.cells, list(story.edges)))
    rows, story.rows, story.cells = story.rows, [], []
    table = table_of(rows)
    if table is not None:
        story.blocks.append(Block(kind=BlockKind.TABLE, table=table))
