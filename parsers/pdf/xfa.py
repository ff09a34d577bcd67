"""XFA forms: PDFs whose page only asks to wait while the form itself is XML (XFA 3.3, Adobe).

The packets lie in the interactive form's ``XFA`` entry, as one stream or as named parts of one
(ISO 32000-1 §12.7.8). The ``template`` holds labels, fields and their layout, ``datasets`` the values; a
subform or field takes the data element of its name below the one that its parent took (XFA 3.3, chapter 4,
"Data Binding"), or the one that its ``bind`` names.
"""
# mypy: allow-untyped-calls
# (PyMuPDF and lxml ship without complete types)

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contracts.documents import Block, BlockKind, Cell, Layer, Position, Table
from parsers.common.hangul_xml import parse_xml
from parsers.pdf.opening import LIBRARY_ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pymupdf

__all__ = ["form_blocks", "form_packets", "is_form_only"]

_REFERENCE = re.compile(r"(\d+) 0 R")
_CONTAINERS = frozenset({"subform", "subformSet", "area", "exclGroup"})
_UNSEEN = frozenset({"hidden", "invisible", "inactive"})
_MOST = 20_000


def form_packets(document: pymupdf.Document) -> bytes:
    """The XML of the form, its parts joined; b"" where the file has none."""
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "AcroForm/XFA")
        if kind not in {"xref", "array"}:
            return b""
        if kind == "xref":
            number = int(_REFERENCE.findall(value)[0])
            if document.xref_is_stream(number):
                return bytes(document.xref_stream(number) or b"")
            value = document.xref_object(number)
        parts = [document.xref_stream(int(n)) or b"" for n in _REFERENCE.findall(value)]
        return b"".join(parts)
    except LIBRARY_ERRORS:
        return b""


def is_form_only(document: pymupdf.Document) -> bool:
    """The pages hold no form of their own: they are drawn from the XML (``NeedsRendering``, or no field)."""
    kind, value = document.xref_get_key(document.pdf_catalog(), "NeedsRendering")
    if kind == "bool" and value == "true":
        return True
    kind, value = document.xref_get_key(document.pdf_catalog(), "AcroForm/Fields")
    return kind == "null" or (kind == "array" and not _REFERENCE.search(value))


def form_blocks(packets: bytes) -> list[Block]:
    """Labels and values of the form in the order of its template; [] where nothing can be read.

    What stands on every page (master pages) is furniture, what is not shown is hidden. Values for which the
    template has no field follow at the end, by the names of their elements.
    """
    root, _ = parse_xml(packets)
    if root is None:
        return []
    template = _first(root, "template")
    data = _first(root, "data")
    form = _Form()
    if template is not None:
        for child in _children(template, "subform"):
            form.walk(child, data)
    if data is not None:
        form.rest(data)
    return form.blocks


@dataclass(slots=True)
class _Form:
    """Blocks of a form, and which data elements its fields have taken."""

    blocks: list[Block] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    kept: list[Any] = field(default_factory=list)  # ids of lxml elements hold while they live

    def walk(self, node: Any, data: Any, layer: Layer = Layer.BODY) -> None:
        """One container for each data element that it takes; its contents in their order."""
        for scope in self._scopes(node, data):
            self._contents(node, scope, _seen(node, layer))

    def _contents(self, node: Any, data: Any, layer: Layer) -> None:
        if node.get("layout") == "table":
            self._table(node, data, layer)
            return
        for child in node:
            name = _name(child)
            if len(self.blocks) >= _MOST:
                return
            if name == "pageSet":
                for draw in (d for d in child.iter() if _name(d) == "draw"):
                    self._put(_words(draw), _seen(draw, Layer.FURNITURE))
            elif name in _CONTAINERS:
                self.walk(child, data, layer)
            elif name in {"field", "draw"}:
                self._put(self._text(child, data), _seen(child, layer))

    def _table(self, node: Any, data: Any, layer: Layer) -> None:
        cells: list[Cell] = []
        rows = columns = heads = 0
        for row in (child for child in node if _name(child) in _CONTAINERS):
            for scope in self._scopes(row, data):
                column = 0
                drawn = True
                for part in (p for p in row if _name(p) in {"field", "draw"} | _CONTAINERS):
                    text = (
                        " ".join(self._texts(part, scope))
                        if _name(part) in _CONTAINERS
                        else self._text(part, scope)
                    )
                    drawn = drawn and _name(part) == "draw"
                    span = max(1, _number(part.get("colSpan")))
                    if text:
                        cells.append(Cell(rows, column, text, column_span=span))
                    column += span
                columns = max(columns, column)
                heads += drawn and heads == rows
                rows += 1
        if cells:
            heads = 0 if heads == rows else heads
            table = Table(cells=tuple(cells), rows=rows, columns=columns, header_rows=heads)
            where = Position(page=1)
            self.blocks.append(
                Block(kind=BlockKind.TABLE, table=table, layer=layer, position=where)
            )

    def _texts(self, node: Any, data: Any) -> Iterator[str]:
        for scope in self._scopes(node, data):
            for child in node:
                if _name(child) in {"field", "draw"}:
                    yield self._text(child, scope)
                elif _name(child) in _CONTAINERS:
                    yield from self._texts(child, scope)

    def _text(self, node: Any, data: Any) -> str:
        """``label: value`` of a field, the words of a drawn text."""
        if _name(node) == "draw":
            return _words(node)
        label = _words(_child(node, "caption"))
        found = self._scopes(node, data)[0]
        value = _own_text(found) if found is not data else ""
        value = _shown(node, value) if value else _words(_child(node, "value"))
        if _child(_child(node, "ui"), "checkButton") is not None:
            value = "✓" if value and value == _on_value(node) else ""
            return f"{value} {label}".strip() if value else label
        if not value:
            return label
        name = label or ("" if _in_row(node) else node.get("name") or "")
        return f"{name.rstrip(' :：')}: {value}" if name else value

    def _scopes(self, node: Any, data: Any) -> list[Any]:
        """The data elements that a container or field takes; its parent's where it takes none."""
        bind = _child(node, "bind")
        match = bind.get("match", "") if bind is not None else ""
        name = node.get("name")
        if data is None or match == "none":
            return [data]
        if match == "dataRef":
            found = _path(data, (bind.get("ref") or "").replace("[*]", ""))
        elif not name:
            return [data]
        else:
            found = [c for c in data if _name(c) == name and id(c) not in self.used]
        if not found:
            return [data]
        repeats = _child(node, "occur") is not None and _name(node) in _CONTAINERS
        found = found if repeats else found[:1]
        for element in found:
            self.used.add(id(element))
            self.kept.append(element)
        return found

    def _put(self, text: str, layer: Layer) -> None:
        if text:
            self.blocks.append(
                Block(kind=BlockKind.PARAGRAPH, text=text, layer=layer, position=Position(page=1))
            )

    def rest(self, data: Any) -> None:
        """Values that no field has taken."""
        for leaf in data.iter():
            if len(leaf) == 0 and id(leaf) not in self.used and len(self.blocks) < _MOST:
                value = _own_text(leaf)
                self._put(f"{_name(leaf)}: {value}" if value else "", Layer.BODY)


def _name(node: Any) -> str:
    """Name without its namespace; "" for what is no element."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _children(node: Any, name: str) -> list[Any]:
    return [child for child in node if _name(child) == name] if node is not None else []


def _child(node: Any, name: str) -> Any:
    return next(iter(_children(node, name)), None)


def _first(root: Any, name: str) -> Any:
    return next((node for node in root.iter() if _name(node) == name), None)


def _seen(node: Any, layer: Layer) -> Layer:
    return Layer.HIDDEN if node.get("presence") in _UNSEEN else layer


def _in_row(node: Any) -> bool:
    parent = node.getparent()
    return parent is not None and parent.get("layout") == "row"


def _words(node: Any) -> str:
    """Text below a ``value``, ``caption`` or ``draw``; rich text (XHTML) line by line."""
    if node is None:
        return ""
    value = node if _name(node) == "value" else _child(node, "value")
    if value is None:
        return ""
    lines: list[str] = []
    for part in value:
        if _name(part) in {"image", "line", "rectangle", "arc"}:
            continue
        paragraphs = [p for p in part.iter() if _name(p) in {"p", "li"}]
        lines += [" ".join("".join(p.itertext()).split()) for p in paragraphs or [part]]
    return "\n".join(line for line in lines if line)


def _own_text(node: Any) -> str:
    return "\n".join(
        line for raw in "".join(node.itertext()).splitlines() if (line := " ".join(raw.split()))
    )


def _shown(node: Any, value: str) -> str:
    """What a choice shows for the value that it saves."""
    items = _children(node, "items")
    saved = next((i for i in items if i.get("save") == "1"), None)
    shown = next((i for i in items if i.get("save") != "1"), None)
    if saved is None or shown is None or _child(_child(node, "ui"), "checkButton") is not None:
        return value
    pairs = dict(zip(map(_own_text, saved), map(_own_text, shown), strict=False))
    return pairs.get(value, value)


def _on_value(node: Any) -> str:
    """The first item of a check box is its value when it is on (XFA 3.3, ``items``)."""
    items = _child(node, "items")
    return _own_text(items[0]) if items is not None and len(items) else "1"


def _path(data: Any, path: str) -> list[Any]:
    """Elements at ``$.a.b`` (below this one) or ``$record.a.b`` (below the record)."""
    start, _, rest = path.partition(".")
    here = [data]
    if start in {"$record", "$data"}:
        here = [data.getroottree().getroot() if data.getparent() is None else _record(data)]
    elif start != "$":
        rest = path
    for name in filter(None, rest.split(".")):
        here = [child for node in here for child in node if _name(child) == name]
    return here if here != [data] else []


def _record(data: Any) -> Any:
    """The element right below ``data``."""
    while _name(data.getparent()) != "data":
        data = data.getparent()
        if data.getparent() is None:
            break
    return data


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 1
