"""HTML to blocks: what a reader of the page sees, menus and hidden parts in layers of their own.

Used for pages and for the HTML of other formats. Element meanings are those of the HTML Living Standard, §4 and §15.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import unescape

from lxml import etree
from msgspec import structs

from contracts.documents import Block, BlockKind, Layer
from parsers.common.markup_tables import TableMarkup, is_layout, read_table
from parsers.common.numbering import format_number
from parsers.common.opc import Element

__all__ = ["Page", "declared_charset", "read_markup"]

_SKIPPED = frozenset(
    {
        "script", "style", "template", "noscript", "head", "meta", "link", "iframe", "object",
        "embed", "audio", "video", "canvas", "svg", "math", "select", "option", "datalist",
        "textarea", "button", "input", "area", "map", "param", "source", "track",
    }
)  # fmt: skip
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "main",
        "menu",
        "nav",
        "p",
        "search",
        "section",
        "summary",
        "ul",
        "ol",
        "tr",
        "td",
        "th",
        "tbody",
        "thead",
        "tfoot",
        "table",
    ]
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_TABLE_PARTS = frozenset({"tr", "thead", "tbody", "tfoot", "table"})
_SECTIONING = frozenset({"article", "main", "section", "td", "th", "li"})
_FURNITURE_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar"})
_FURNITURE_NAMES = frozenset(
    {
        "nav", "navbar", "navigation", "gnb", "lnb", "snb", "menu", "breadcrumb", "breadcrumbs",
        "sidebar", "skip", "skipnav", "footer",
    }
)  # fmt: skip
_LIST_TYPES = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_CHARSET = re.compile(
    rb"""charset\s*=\s*["']?\s*([\w.:-]+)|encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE
)
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_WHITE = re.compile(
    r"(?<![\w-])color\s*:\s*(?:white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))(?![\w])",
    re.IGNORECASE,
)
_BACKGROUND = re.compile(r"background", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f]+")
_UNSHOWN = re.compile(r"(</?(?:script|style|title)\b[^>]*>)", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_MOST_DEPTH = 180
_LINKS_ONLY = 0.5


@dataclass(frozen=True, slots=True)
class Page:
    """A page as read.

    Attributes:
        title: Of the page.
        properties: ``meta`` values by field name.
        blocks: In reading order.
        flattened: Its elements were nested too deeply to be told apart: lines of text are all there is.
    """

    title: str
    properties: dict[str, str]
    blocks: tuple[Block, ...]
    flattened: bool = False


def declared_charset(data: bytes) -> str:
    """The charset that a page names in its first 4 KiB (``meta`` or XML declaration), or ""."""
    found = _CHARSET.search(data[:4096])
    name = (found[1] or found[2]) if found else b""
    return name.decode("ascii", "replace")


def read_markup(text: str) -> Page:
    """Read HTML text; never fails, however broken the markup is."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    data = text.replace("\0", "").encode("utf-8", "replace")
    try:
        root = etree.fromstring(data, parser) if data.strip() else None
    except etree.XMLSyntaxError:
        root = None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        return _flattened(text)  # the library drops everything below some 2,000 levels
    if root is None:
        return Page("", {}, ())
    title = next((_squeezed(_inner(t)) for t in root.iter("title")), "")
    flow = _Flow()
    flow.walk(root, _State())
    flow.flush(_State())
    return Page(title, _meta(root), tuple(flow.blocks))


def _flattened(text: str) -> Page:
    """The text between the tags, for pages that no tree can be made of."""
    shown: list[str] = []
    skip = False
    for number, part in enumerate(_UNSHOWN.split(text)):
        if number % 2:
            skip = not part.startswith("</")
        elif not skip:
            shown.append(part)
    lines = (_lines(unescape(line)) for line in _TAG.sub("\n", "".join(shown)).split("\n"))
    blocks = tuple(Block(kind=BlockKind.PARAGRAPH, text=line) for line in lines if line)
    return Page("", {}, blocks, flattened=True)


def _meta(root: Element) -> dict[str, str]:
    names = {
        "author": "author",
        "description": "description",
        "keywords": "keywords",
        "article:published_time": "created",
        "article:modified_time": "modified",
        "date": "created",
        "last-modified": "modified",
    }
    found: dict[str, str] = {}
    for element in root.iter("meta"):
        key = (element.get("name") or element.get("property") or "").lower()
        value = _squeezed(element.get("content", ""))
        if key in names and value:
            found.setdefault(names[key], value)
    return found


@dataclass(frozen=True, slots=True)
class _State:
    """What the elements around a text say about it."""

    layer: Layer = Layer.BODY
    depth: int = 0
    list_level: int = 0
    inside_section: bool = False
    background: bool = False


@dataclass(slots=True)
class _Flow:
    """Collects inline text into blocks."""

    blocks: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    label: str = ""

    def flush(self, state: _State) -> None:
        """End the current block."""
        text = _lines("".join(self.parts))
        self.parts = []
        if text:
            made = Block(
                kind=self.kind, text=text, level=self.level, label=self.label, layer=state.layer
            )
            self.blocks.append(made)
            if self.kind is BlockKind.LIST_ITEM:
                self._reset()

    def _reset(self) -> None:
        self.kind, self.level, self.label = BlockKind.PARAGRAPH, 0, ""

    def walk(self, element: Element, state: _State) -> None:
        """Add an element and everything in it."""
        tag = str(element.tag).lower()
        if tag in _SKIPPED:
            return
        inner = _entered(element, tag, state)
        if inner.layer is not state.layer:
            self.flush(state)
        if inner.depth > _MOST_DEPTH:
            self.parts.append(_squeezed(_inner(element)))
        else:
            self._enter(element, tag, inner)
        if inner.layer is not state.layer:
            self.flush(inner)

    def _enter(self, element: Element, tag: str, state: _State) -> None:
        if tag == "br":
            self.parts.append("\n")
        elif tag == "img":
            self._picture(element, state)
        elif tag in _HEADINGS:
            self._whole(element, state, BlockKind.HEADING, _HEADINGS[tag])
        elif tag in ("figcaption", "caption"):
            self._whole(element, state, BlockKind.CAPTION, 0)
        elif tag in ("pre", "listing", "xmp"):
            self._code(element, state)
        elif tag == "table" and not is_layout(element):
            self._table(element, state)
        elif tag in ("ul", "ol", "menu", "dir"):
            self._list(element, tag, state)
        elif tag in _BLOCKS or tag == "li":
            self.flush(state)
            self.children(element, state)
            self.flush(state)
        else:
            self.children(element, state)

    def children(self, element: Element, state: _State) -> None:
        """Add what is inside an element."""
        self.parts.append(_SPACES.sub(" ", element.text or ""))
        for child in element:
            if isinstance(child.tag, str):
                self.walk(child, replace(state, depth=state.depth + 1))
            self.parts.append(_SPACES.sub(" ", child.tail or ""))

    def _whole(self, element: Element, state: _State, kind: BlockKind, level: int) -> None:
        self.flush(state)
        self.kind, self.level = kind, level
        self.children(element, state)
        self.flush(state)
        self._reset()

    def _code(self, element: Element, state: _State) -> None:
        self.flush(state)
        text = _inner(element).strip("\n").rstrip()
        if text:
            self.blocks.append(Block(kind=BlockKind.CODE, text=text, layer=state.layer))

    def _picture(self, element: Element, state: _State) -> None:
        text = _squeezed(element.get("alt", ""))
        if text:
            self.flush(state)
            self.blocks.append(Block(kind=BlockKind.FIGURE, text=text, layer=state.layer))

    def _list(self, element: Element, tag: str, state: _State) -> None:
        self.flush(state)
        inner = replace(state, list_level=state.list_level + 1)
        number = _whole_number(element.get("start", "1"), 1)
        for child in element:
            if str(child.tag).lower() != "li":
                if isinstance(child.tag, str):
                    self.walk(child, replace(inner, depth=inner.depth + 1))
                continue
            number = _whole_number(child.get("value", ""), number)
            form = _LIST_TYPES.get(element.get("type", ""), "decimal")
            self.kind, self.level = BlockKind.LIST_ITEM, inner.list_level
            self.label = f"{format_number(number, form)}." if tag == "ol" else ""
            self.walk(child, replace(inner, depth=inner.depth + 1))
            self._reset()
            number += 1
        self.flush(state)

    def _table(self, element: Element, state: _State) -> None:
        self.flush(state)
        found = read_table(element, lambda cell: _cell_blocks(cell, state))
        self.blocks += _table_blocks(found, state)


def _table_blocks(found: TableMarkup, state: _State) -> Iterator[Block]:
    if found.table is not None:
        yield Block(kind=BlockKind.TABLE, table=found.table, layer=state.layer)
    yield from found.after


def _cell_blocks(cell: Element, state: _State) -> list[Block]:
    flow = _Flow()
    around = [up for up in cell.iterancestors() if up.tag in _TABLE_PARTS]
    ground = state.background or any(_has_ground(up) for up in around)
    inner = _entered(cell, "td", replace(state, list_level=0, background=ground))
    flow.children(cell, inner)
    flow.flush(inner)
    return [
        structs.replace(block, layer=Layer.BODY) if block.layer is state.layer else block
        for block in flow.blocks
    ]


# -- what an element says of itself ------------------------------------------------------------------


def _entered(element: Element, tag: str, state: _State) -> _State:
    layer = state.layer
    style = element.get("style", "")
    background = state.background or _has_ground(element)
    if layer is not Layer.HIDDEN:
        if _is_hidden(element, style, background=background):
            layer = Layer.HIDDEN
        elif _is_furniture(element, tag, state):
            layer = Layer.FURNITURE
    section = state.inside_section or tag in _SECTIONING
    return replace(state, layer=layer, inside_section=section, background=background)


def _has_ground(element: Element) -> bool:
    """Whether an element has a background of its own, on which white letters can be read."""
    return "bgcolor" in element.attrib or bool(_BACKGROUND.search(element.get("style", "")))


def _is_hidden(element: Element, style: str, *, background: bool) -> bool:
    if "hidden" in element.attrib and element.get("hidden") != "until-found":
        return True
    if style and (_HIDDEN_STYLE.search(style) or (_WHITE.search(style) and not background)):
        return True
    white = element.get("color", "").lower() in ("white", "#fff", "#ffffff")
    return white and not background


def _is_furniture(element: Element, tag: str, state: _State) -> bool:
    if tag == "nav" or element.get("role", "") in _FURNITURE_ROLES:
        return True
    if tag in ("header", "footer") and not state.inside_section:
        return True
    names = re.split(r"[\s_-]+", f"{element.get('class', '')} {element.get('id', '')}".lower())
    if not _FURNITURE_NAMES.intersection(names) or tag in ("body", "html", "main", "article"):
        return False
    text = len(_squeezed(_inner(element)))
    linked = sum(len(_squeezed(_inner(link))) for link in element.iter("a"))
    return linked >= text * _LINKS_ONLY


def _inner(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> str:
    lines = (_SPACES.sub(" ", line).replace("\u00a0", " ").strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _whole_number(text: str, default: int) -> int:
    text = text.strip()
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 10 else default  # noqa: PLR2004
