"""Parsed documents as Markdown, the way ``seoga parse`` prints them (design §8).

Text of the document is escaped where Markdown or HTML would swallow it. What is not body text says so at
the start of its line: ``> [notes]``, ``> [hidden]``, ``> [quoted]``, ``> [furniture]``.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING

from contracts.documents import Block, BlockKind, ChildRelation, Layer
from contracts.failures import advice_for
from parsers.grid_text import grid_rows, value_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.documents import ParsedDocument, Position, Table
    from parsers.tree import ParsedNode

__all__ = ["document_lines", "tree_lines"]

_MAX_LEVEL = 6
_RELATIONS = {
    ChildRelation.ATTACHMENT: "첨부 attachment",
    ChildRelation.INLINE: "본문 삽입 inline",
    ChildRelation.MEMBER: "구성 파일 member",
    ChildRelation.MESSAGE: "메일 message",
    ChildRelation.EMBEDDED: "포함 개체 embedded",
}
_MAIL_FORMATS = frozenset({"eml", "msg", "tnef"})
_MAIL_HEADERS = (
    ("from", "From"),
    ("to", "To"),
    ("cc", "Cc"),
    ("bcc", "Bcc"),
    ("date", "Date"),
    ("message_id", "Message-ID"),
)
_AMPERSAND = re.compile(r"&(?=#?\w+;)")
_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+*](?=\s)|```|~~~|\|)")
# Control characters of a document could command the terminal that shows this.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f&<>]")
"""What :func:`_escape` changes."""
_ODD_OR_BLANK = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f&<>\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
)
_BLANKS = ("  ", "| ", " |", "\n", "\t")
"""With those of the class above all that :data:`_UNEVEN` finds; each is found faster than by a pattern."""
_TABLES = attrgetter("tables")
_UNEVEN = re.compile(r"[^\S ]|  |\| | \|")
"""Blanks that :func:`_flat` changes, in texts with a bar before and behind each."""
_MARKS = frozenset("#-+*`~|")
_DIGITS_START = re.compile(r"^(\s*\d+)([.)])(?=\s)")


def tree_lines(node: ParsedNode) -> Iterator[str]:
    """A file and everything within it, line by line (without line ends)."""
    if node.result.document is not None:
        yield from document_lines(node.result.document)
    elif node.result.failure is not None:
        detail = f" ({_inline(node.result.detail)})" if node.result.detail else ""
        failure = node.result.failure
        yield f"> [failed] {failure.value}{detail}: {advice_for(failure)}"
        yield ""
    for child in node.children:
        relation = _RELATIONS[child.child.relation] if child.child else ""
        yield "---"
        yield ""
        yield f"# [{relation}] {_inline(' / '.join(child.member_path))}"
        yield ""
        yield from tree_lines(child)


def document_lines(document: ParsedDocument) -> Iterator[str]:
    """One document without its children's content, line by line (without line ends)."""
    for warning in document.warnings:
        yield f"<!-- warning: {_comment(warning)} -->"
    if document.format in _MAIL_FORMATS:
        yield from _mail_head(document)
    elif document.title:
        yield f"<!-- title: {_comment(document.title)} -->"
        yield ""
    place, keyed = "", document.format == "csv"
    for block in document.blocks:
        here = _place(block.position)
        if here and here != place:
            place = here
            yield f"<!-- {_comment(here)} -->"
            yield ""
        yield from _block(block, keyed=keyed or block.position.sheet is not None)
        yield ""


def _mail_head(document: ParsedDocument) -> Iterator[str]:
    properties = document.properties
    yield f"# {_inline(properties.get('subject', '') or document.title)}".rstrip()
    yield ""
    for key, label in _MAIL_HEADERS:
        if properties.get(key):
            yield f"**{label}:** {_inline(properties[key])}  "
    names = [
        child.name for child in document.children if child.relation is not ChildRelation.INLINE
    ]
    if names:
        yield f"**Attachments:** {_inline(', '.join(names))}  "
    yield ""


def _place(position: Position) -> str:
    for label, value in (
        ("page", position.page),
        ("slide", position.slide),
        ("sheet", position.sheet),
        ("message", position.message),
    ):
        if value is not None:
            return f"{label} {value}"
    return ""


def _block(block: Block, *, keyed: bool) -> list[str]:
    """A block; ``keyed`` tables say each value again, under its headers and its row's key."""
    mark = "" if block.layer is Layer.BODY else f"> [{block.layer.value}] "
    if block.table is not None:
        lines = _table(block.table, keyed=keyed)
        return [mark + line for line in lines] if mark else lines
    return [mark + _one_line(block)] if mark else _body_lines(block)


def _body_lines(block: Block) -> list[str]:
    match block.kind:
        case BlockKind.HEADING:
            level = max(1, min(block.level, _MAX_LEVEL))
            return [f"{'#' * level} {_labelled(block, _inline(block.text))}"]
        case BlockKind.CODE:
            text = _escape(block.text)
            return ["```", *(line.replace("```", "'''") for line in text.split("\n")), "```"]
        case BlockKind.LIST_ITEM:
            indent = "  " * max(0, block.level - 1)
            return [f"{indent}- {_labelled(block, _escape(block.text).replace(chr(10), '<br>'))}"]
        case BlockKind.PARAGRAPH:
            return [_line(line) for line in _labelled(block, _escape(block.text)).split("\n")]
        case _:
            return [f"[{block.kind.value}] {_one_line(block)}"]


def _table(table: Table, *, keyed: bool) -> list[str]:
    lines: list[str] = []
    if table.caption:
        lines += [f"[caption] {_inline(table.caption)}", ""]
    if table.stored is not None:
        shown = table.rows - table.header_rows
        total = table.stored.rows + table.stored.hidden_rows
        view = _comment(table.stored.view)
        lines += [f"<!-- {shown:,} of {total:,} rows; all are stored as the table {view} -->", ""]
    plain, even = _plainness(table)
    lines += _rows(table, "", plain=plain, even=even)
    if keyed and table.header_rows:
        lines.append("")
        # A list keeps each value a line of its own when the Markdown is rendered.
        values = value_lines(table, "- ", even=even)
        lines += values if plain else map(_escape, values)
    return lines


def _rows(table: Table, indent: str, *, plain: bool, even: bool) -> Iterator[str]:
    write = _flat if plain else _cell
    nested = any(map(_TABLES, table.cells))
    for number, row in enumerate(grid_rows(table), start=1):
        texts = row.texts
        if not (plain and even):
            texts = tuple([write(text) if text else text for text in texts])
        yield f"{indent}| {' | '.join(texts)} |"
        if number == max(1, table.header_rows):
            yield f"{indent}|{'---|' * table.columns}"
        if nested:
            for inner in [inner for cell in row.cells for inner in cell.tables]:
                inner_plain, inner_even = _plainness(inner)
                yield from _rows(inner, indent + "  ", plain=inner_plain, even=inner_even)


def _plainness(table: Table) -> tuple[bool, bool]:
    """Whether nothing in a table needs escaping, and no blanks need joining: one look at all its text tells."""
    texts = [cell.text for cell in table.cells]
    whole = f"|{'|'.join(texts)}|"
    one_bar_each = whole.count("|") == len(texts) + 1
    if _ODD_OR_BLANK.search(whole) is None:  # mostly
        return one_bar_each, not any(some in whole for some in _BLANKS)
    return one_bar_each and _ODD.search(whole) is None, _UNEVEN.search(whole) is None


def _labelled(block: Block, text: str) -> str:
    return f"{_escape(block.label)} {text}" if block.label else text


def _one_line(block: Block) -> str:
    return _labelled(block, _escape(block.text).replace("\n", "<br>"))


def _cell(text: str) -> str:
    # A blank for a line end: most are where a column was too narrow, and a row stays a line of plain text.
    return _inline(text).replace("|", "\\|") if text else ""


def _inline(text: str) -> str:
    return _escape(_flat(text))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _line(line: str) -> str:
    first = line[:1]
    if first not in _MARKS and not first.isdecimal() and not first.isspace():
        return line
    line = _LINE_START.sub(r"\1\\\2", line)
    return _DIGITS_START.sub(r"\1\\\2", line)


def _escape(text: str) -> str:
    r"""Keep ``<…>`` and entities of the text from being read as HTML."""
    if _ODD.search(text) is None:
        return text
    text = _AMPERSAND.sub("&amp;", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub("", text.replace("<", "&lt;").replace(">", "&gt;"))


def _comment(text: str) -> str:
    return _CONTROL.sub("", " ".join(text.split())).replace("--", "‐‐").replace(">", "›")
