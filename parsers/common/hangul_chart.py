"""What a chart says in words: titles, categories, series and values of a DrawingML chart (ECMA-376 part 1, 21.2)."""

from __future__ import annotations

from lxml import etree

__all__ = ["chart_text"]

_MAX_POINTS = 2000


def chart_text(data: bytes) -> str:
    """Title, axis titles, then one line a series (``name: category=value, …``); "" where nothing can be read."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return ""
    if root is None:
        return ""
    lines = [
        title
        for element in root.iterfind(".//{*}title")
        if (title := "".join(node.text or "" for node in element.iterfind(".//{*}t")).strip())
    ]
    for series in root.iterfind(".//{*}ser"):
        name = ", ".join(_points(series.find("{*}tx")).values())
        categories = _points(series.find("{*}cat")) or _points(series.find("{*}xVal"))
        values = _points(series.find("{*}val")) or _points(series.find("{*}yVal"))
        pairs = [
            f"{categories[at]}={value}" if at in categories else value
            for at, value in values.items()
        ]
        line = f"{name}: {', '.join(pairs)}" if name else ", ".join(pairs)
        if line.strip(": "):
            lines.append(line)
    return "\n".join(lines)


def _points(element: etree._Element | None) -> dict[int, str]:
    found: dict[int, str] = {}
    if element is None:
        return found
    for at, point in enumerate(element.iterfind(".//{*}pt")):
        value = point.findtext("{*}v")
        index = point.get("idx", "")
        if value and at < _MAX_POINTS:
            found[int(index) if index.isascii() and index.isdigit() else at] = value.strip()
    return found
