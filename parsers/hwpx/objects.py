"""Drawn objects of OWPML: shapes with text, pictures, charts, equations, form controls, hyperlinks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from parsers.common.hangul_model import Box, Figure, Item, Paragraph
from parsers.common.hangul_text import is_automatic_description
from parsers.hwpx.package import local_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.documents import Table

__all__ = ["Charts", "ListReader", "field_link", "own_text", "read_shape"]

_FIGURES = frozenset({"pic", "ole", "video", "chart"})
_TEXT_ATTRIBUTES = {
    "compose": "composeText",
    "btn": "caption",
    "radioBtn": "caption",
    "checkBtn": "caption",
    "comboBox": "selectedValue",
    "listBox": "selectedValue",
    "scrollBar": "caption",
}
_LINK_PARAMETERS = ("Path", "Command")
_ESCAPED = re.compile(r"\\(.)")


class Charts(Protocol):
    """Finds what charts say."""

    def chart(self, element: Any) -> tuple[str, Table | None]:
        """Titles and values of a ``chart`` or ``ole`` element that is a chart; ("", None) for everything else."""
        ...


class ListReader(Protocol):
    """Reads the paragraphs of an element that holds a paragraph list."""

    def listed(self, parent: Any) -> list[Paragraph]:
        """The paragraphs of the list in ``parent``."""
        ...


def read_shape(element: Any, reader: ListReader, charts: Charts) -> Iterable[Item]:
    """The items of a shape: its text box, its picture, its parts where it is a group, its caption."""
    position = element.find("{*}pos")
    inline = position is not None and position.get("treatAsChar") == "1"
    items: list[Item] = []
    caption: list[Paragraph] = []
    texts: list[Paragraph] = []
    for child in element:
        name = local_name(child)
        if name == "caption":
            caption = reader.listed(child)
        elif name in {"drawText", "subList"}:
            texts.extend(reader.listed(child) if name == "drawText" else reader.listed(element))
        elif name in _FIGURES or child.find("{*}drawText") is not None or name == "container":
            items.extend(read_shape(child, reader, charts))
    name = local_name(element)
    if name in _FIGURES:
        titles, table = charts.chart(element)
        words = "\n".join(filter(None, (_description(element), titles)))
        items.append(Figure(words, table, caption, inline))
    elif name == "textart":
        items.append(Box([Paragraph([element.get("text", "")])], caption, inline))
    elif texts or caption:
        items.append(Box(texts, caption, inline))
    return items


def _description(element: Any) -> str:
    text = _child_text(element, "shapeComment").strip()
    return "" if is_automatic_description(text) else text


def own_text(element: Any, name: str) -> str | None:
    """Text that an inline object shows in the line, or None where it is not one of those."""
    if name == "equation":
        script = " ".join(_child_text(element, "script").split())
        return f" {script} " if script else ""
    if name == "dutmal":
        main, above = _child_text(element, "mainText"), _child_text(element, "subText")
        return f"{main}({above})" if above else main
    if name == "edit":
        return _child_text(element, "text")
    attribute = _TEXT_ATTRIBUTES.get(name)
    return None if attribute is None else str(element.get(attribute, ""))


def _child_text(element: Any, name: str) -> str:
    return str(element.findtext(f"{{*}}{name}") or "")


def field_link(element: Any) -> str:
    """Where a hyperlink field leads to, or ""."""
    if element.get("type") != "HYPERLINK":
        return ""
    named = {
        child.get("name", ""): child.text or ""
        for child in element.iter()
        if local_name(child) == "stringParam"
    }
    for name in _LINK_PARAMETERS:
        if named.get(name):
            # A command is "address;options", with a backslash before each colon of the address.
            return _ESCAPED.sub(r"\1", re.split(r"(?<!\\);", named[name])[0]).strip()
    return ""
