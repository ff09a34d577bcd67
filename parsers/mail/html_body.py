"""HTML of a mail as blocks: paragraphs, headings, lists, tables; quoted and hidden parts in their layers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import Block, BlockKind, Cell, Layer, Position, Table
from parsers.mail.closing import is_signature
from parsers.mail.text_body import starts_quote

if TYPE_CHECKING:
    from lxml.html import HtmlElement

__all__ = ["html_blocks"]

_PLACE = Position(message=1)
_SKIP = frozenset({"script", "style", "head", "title", "meta", "link", "noscript", "template"})
_FLOW = frozenset(
    {
        "p", "div", "section", "article", "header", "footer", "center", "form", "fieldset", "body",
        "html", "dl", "dt", "dd", "ul", "ol", "address", "tr", "td", "th", "table", "tbody", "thead",
        "tfoot", "caption", "figure", "figcaption", "hr", "main", "nav", "aside",
    }
)  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|font-size\s*:\s*0(?:px|pt)?\s*(?:;|$)",
    re.IGNORECASE,
)
_QUOTE_CLASSES = (
    "gmail_quote",
    "yahoo_quoted",
    "moz-cite-prefix",
    "protonmail_quote",
    "tutanota_quote",
)
_REST_IDS = ("divrplyfwdmsg", "appendonsend")
"""Outlook marks where the old mail begins, not where it ends: at the end of all."""
_QUOTE_IDS = (
    *_REST_IDS,
    "mail-editor-reference-message-container",
    "olk_src_body_section",
)
_SPACES = re.compile(r"[ \t\r\n\f]+")
_MAX_DEPTH = 400
_MAX_SPAN = 1000
_MIN_ROWS = 2
_MIN_COLUMNS = 2


def html_blocks(markup: str, *, forwarded: bool = False) -> list[Block]:
    """Blocks of an HTML body in reading order.

    Args:
        markup: The HTML; damaged markup is read as browsers read it.
        forwarded: The mail hands on another one: its quoted part is content.
    """
    from lxml import etree, html

    # lxml refuses text with an encoding declaration, and XML namespaces of Office mean nothing here.
    markup = re.sub(r"^\s*<\?xml[^>]*\?>", "", markup.replace("\0", ""))
    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = html.document_fromstring(markup, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return []
    reader = _Reader(forwarded=forwarded)
    reader.element(root, _State())
    reader.flush(_State())
    return _quoted_tail(reader.blocks, forwarded=forwarded)


@dataclass(frozen=True, slots=True)
class _State:
    """What an element inherits from those around it."""

    layer: Layer = Layer.BODY
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    preformatted: bool = False
    depth: int = 0


@dataclass(slots=True)
class _Reader:
    """Collects inline text until a block ends."""

    forwarded: bool
    blocks: list[Block] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    rest_is_old: bool = False

    def element(self, element: HtmlElement, state: _State) -> None:
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag in _SKIP or not tag or state.depth > _MAX_DEPTH:
            return
        inner = self._inner(element, tag, state)
        if tag == "br":
            self.pending.append("\n")
            return
        if tag == "img":
            self.pending.append(f" {element.get('alt', '').strip()} ")
            return
        breaks = tag in _FLOW or inner.kind is not state.kind or inner.layer is not state.layer
        if breaks:
            self.flush(state)
        if not self.forwarded and element.get("id", "").lower() in _REST_IDS and self.blocks:
            self.rest_is_old = True
        if tag == "table" and (table := _data_table(element)):
            self.blocks.append(
                Block(kind=BlockKind.TABLE, table=table, layer=self._layer(inner), position=_PLACE)
            )
            return
        self._text(element.text, inner)
        for child in element:
            self.element(child, inner)
            self._text(child.tail, inner)
        if breaks:
            self.flush(inner)

    def flush(self, state: _State) -> None:
        """End the block under way."""
        raw = "".join(self.pending)
        self.pending.clear()
        lines = [line.strip(" \t\xa0") for line in raw.split("\n")]
        text = "\n".join(line for line in lines if line).replace("\xa0", " ")
        if not text:
            return
        kind, level = state.kind, state.level
        self.blocks.append(
            Block(kind=kind, text=text, layer=self._layer(state), level=level, position=_PLACE)
        )

    def _layer(self, state: _State) -> Layer:
        old = self.rest_is_old and state.layer is Layer.BODY
        return Layer.QUOTED if old else state.layer

    def _inner(self, element: HtmlElement, tag: str, state: _State) -> _State:
        inner = replace(state, depth=state.depth + 1)
        if tag in _HEADINGS:
            inner = replace(inner, kind=BlockKind.HEADING, level=_HEADINGS[tag])
        elif tag == "li":
            inner = replace(inner, kind=BlockKind.LIST_ITEM)
        elif tag in {"ul", "ol"}:
            inner = replace(inner, level=state.level + 1)
        elif tag in {"pre", "textarea"}:
            inner = replace(inner, preformatted=True)
        if _HIDDEN.search(element.get("style", "")) or element.get("hidden") is not None:
            return replace(inner, layer=Layer.HIDDEN)
        if not self.forwarded and state.layer is Layer.BODY and _is_quote(element, tag):
            return replace(inner, layer=Layer.QUOTED)
        if not self.forwarded and state.layer is Layer.BODY and _is_signature(element):
            return replace(inner, layer=Layer.FURNITURE)
        return inner

    def _text(self, text: str | None, state: _State) -> None:
        if text:
            self.pending.append(text if state.preformatted else _SPACES.sub(" ", text))


def _is_quote(element: HtmlElement, tag: str) -> bool:
    if tag == "blockquote":
        # Programs also indent with blockquote; a quotation says so, or is what answers quote.
        return (
            element.get("type") == "cite"
            or "cite" in element.attrib
            or "quote" in element.get("class", "")
        )
    classes = element.get("class", "").lower()
    return (
        any(name in classes for name in _QUOTE_CLASSES)
        or element.get("id", "").lower() in _QUOTE_IDS
    )


def _is_signature(element: HtmlElement) -> bool:
    """Programs name the place of the signature; what is written there must look like one."""
    named = f"{element.get('class', '')} {element.get('id', '')}".lower()
    if "signature" not in named or element.find(".//blockquote") is not None:
        return False
    text = "\n".join(part.strip() for part in element.itertext() if part.strip())
    return is_signature(text)


def _quoted_tail(blocks: list[Block], *, forwarded: bool) -> list[Block]:
    """What stands below a divider or an old mail's headers is quoted, as in plain text."""
    if forwarded:
        return blocks
    own_text = False
    for at, block in enumerate(blocks):
        if block.layer is not Layer.BODY or block.table is not None:
            continue
        lines = [line for later in blocks[at : at + 6] for line in later.text.split("\n")]
        if own_text and starts_quote(lines, 0):
            tail = [
                structs.replace(later, layer=Layer.QUOTED) if later.layer is Layer.BODY else later
                for later in blocks[at:]
            ]
            return [*blocks[:at], *tail]
        own_text = True
    return blocks


def _data_table(element: HtmlElement) -> Table | None:
    """A table of values; None for one that only lays out the page (nested, one column, one row)."""
    if element.find(".//table") is not None:
        return None
    rows = list(element.iter("tr"))
    if len(rows) < _MIN_ROWS:
        return None
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    heads = 0
    for number, row in enumerate(rows):
        parts = [cell for cell in row if cell.tag in {"td", "th"}]
        if parts and number == heads and all(cell.tag == "th" for cell in parts):
            heads += 1
        column = 0
        for part in parts:
            while (number, column) in taken:
                column += 1
            down, across = _span(part, "rowspan"), _span(part, "colspan")
            down = min(down, len(rows) - number)
            taken.update((number + y, column + x) for y in range(down) for x in range(across))
            cells.append(Cell(number, column, _cell_text(part), down, across))
            column += across
    columns = max((cell.column + cell.column_span for cell in cells), default=0)
    written = sum(bool(cell.text) for cell in cells)
    if columns < _MIN_COLUMNS or written < _MIN_ROWS * _MIN_COLUMNS - 1:
        return None
    return Table(
        cells=tuple(cells), rows=len(rows), columns=columns, header_rows=min(heads, len(rows) - 1)
    )


def _span(cell: HtmlElement, name: str) -> int:
    text = cell.get(name, "1").strip()
    return max(1, min(_MAX_SPAN, int(text))) if text.isascii() and text.isdigit() else 1


def _cell_text(cell: HtmlElement) -> str:
    reader = _Reader(forwarded=True)
    reader.element(cell, _State())
    reader.flush(_State())
    return "\n".join(block.text for block in reader.blocks if block.layer is not Layer.HIDDEN)
