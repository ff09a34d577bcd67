"""What slides, sheets and documents share of DrawingML: text bodies, charts, SmartArt, alternative text.

ECMA-376 Part 1 §21.1 (text), §21.2 (charts), §21.4 (diagrams).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from contracts.documents import Table
from parsers.common.chart_table import ChartSeries, chart_number, chart_table
from parsers.common.opc import Element, Package, attribute, inner_text, local_name

__all__ = [
    "Look",
    "alternative_text",
    "chart_of",
    "chart_relation",
    "diagram_lines",
    "diagram_relation",
    "graphic_uri",
    "kept_description",
    "paragraph_text",
]

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_GENERATED_ALT = ("설명이 자동", "자동 생성된 설명", "Description automatically generated")
_FILE_NAME = re.compile(r"[^\n]{1,80}\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)", re.IGNORECASE)
_MOST_POINTS = 20_000


def paragraph_text(paragraph: Element) -> str:
    r"""Text of an ``a:p``; breaks as ``\n``, fields by their shown value, formulas as linear text."""
    parts: list[str] = []
    for element in paragraph.iter():
        tag = element.tag
        if tag in (f"{_A}t", f"{_M}t"):
            parts.append(element.text or "")
        elif tag == f"{_A}br":
            parts.append("\n")
        elif tag == f"{_A}tab":
            parts.append("\t")
    return "".join(parts).replace("\v", "\n").strip()


def alternative_text(properties: Element | None) -> str:
    """Alternative text of a ``cNvPr``/``docPr`` element, or ""; file names and what Office made up are none."""
    if properties is None:
        return ""
    lines = [properties.get("title", "").strip(), properties.get("descr", "").strip()]
    return kept_description("\n".join(lines))


def kept_description(text: str) -> str:
    """The lines of an alternative text that a person wrote; file names and what Office made up are none."""
    kept: list[str] = []
    for line in text.splitlines():
        said = line.strip()
        if (
            said
            and said not in kept
            and not said.startswith(_GENERATED_ALT)
            and not _FILE_NAME.fullmatch(said)
        ):
            kept.append(said)
    return "\n".join(kept)


def graphic_uri(frame: Element) -> str:
    """Last piece of the kind of a graphic: ``table``, ``chart``, ``chartex``, ``diagram``, ``ole``."""
    data = next(frame.iter(f"{_A}graphicData"), None)
    return "" if data is None else data.get("uri", "").rstrip("/").rpartition("/")[2]


# -- charts ----------------------------------------------------------------------------------------


Look = Callable[[str, bool], list[list[str]]]
"""What stands in the cells of a reference (``Sheet1!$B$2:$B$9``), row by row; numbers without their format where the second is true."""


def _no_cells(reference: str, plain: bool) -> list[list[str]]:  # noqa: ARG001, FBT001  as a Look
    return []


def chart_of(root: Element, look: Look = _no_cells) -> tuple[str, Table | None]:
    """Title and values of a chart part: categories down, a column a series.

    Args:
        root: Root of a ``chart`` or ``chartEx`` part.
        look: Gives the cells of what the chart refers to but does not store.

    Returns:
        The title with the axis titles after it (or ""), and the table of its values (or None).
    """
    extended = local_name(root) == "chartSpace" and root.tag.startswith(_CX)
    series = list(_extended_series(root, look) if extended else _series(root, look))
    return _titles(root), chart_table(series)


def _titles(root: Element) -> str:
    found: list[str] = []
    for title in root.iter(f"{_C}title", f"{_CX}title"):
        lines = [paragraph_text(p) for p in title.iter(f"{_A}p")]
        lines += [inner_text(v) for v in title.iter(f"{_C}v")]
        text = " ".join(" ".join(lines).split())
        if text and text not in found:
            found.append(text)
    return " · ".join(found)


def _whole(text: str | None, otherwise: int) -> int:
    """A number of an attribute; another where it is missing or damaged."""
    return int(text) if text and text.isascii() and text.isdecimal() else otherwise


def _points(holder: Element | None) -> dict[int, str]:
    """Cached points of a ``c:cat``, ``c:val``, ``c:xVal`` …; levels of categories are joined."""
    if holder is None:
        return {}
    levels = list(holder.iter(f"{_C}lvl")) or [holder]
    points: dict[int, str] = {}
    for level in reversed(levels):
        last = ""
        for point in level.iter(f"{_C}pt"):
            index = _whole(point.get("idx"), len(points))
            last = inner_text(point).strip()
            points[index] = f"{points[index]} {last}" if index in points else last
            if len(points) > _MOST_POINTS:
                return points
    return points


def _read(holder: Element | None, look: Look, *, plain: bool = False) -> dict[int, str]:
    """Cached points, else the cells that they are made of."""
    points = _points(holder)
    reference = None if points or holder is None else next(holder.iter(f"{_C}f"), None)
    return points if reference is None else _cells(reference, look, plain=plain)


def _cells(reference: Element, look: Look, *, plain: bool) -> dict[int, str]:
    """The points of a reference: the cells along its longer side, those across joined."""
    lines = look(inner_text(reference).strip(), plain)
    if lines and len(lines) < len(lines[0]):
        lines = [list(line) for line in zip(*lines, strict=False)]
    texts = (" ".join(filter(None, line)) for line in lines[:_MOST_POINTS])
    return {index: text for index, text in enumerate(texts) if text}


def _series(root: Element, look: Look) -> Iterator[ChartSeries]:
    for element in root.iter(f"{_C}ser"):
        name = element.find(f"{_C}tx")
        values = element.find(f"{_C}val")
        categories = element.find(f"{_C}cat")
        if values is None:
            values, categories = element.find(f"{_C}yVal"), element.find(f"{_C}xVal")
        text = " ".join(_read(name, look).values())
        if name is not None and not text:
            text = "".join(v.text or "" for v in name.iter(f"{_C}v"))
        numbers = _read(values, look, plain=True).items()
        yield ChartSeries(text, _read(categories, look), {i: chart_number(v) for i, v in numbers})


def _extended_series(root: Element, look: Look) -> Iterator[ChartSeries]:
    data = {block.get("id", ""): block for block in root.iter(f"{_CX}data")}
    for element in root.iter(f"{_CX}series"):
        link = element.find(f"{_CX}dataId")
        block = data.get(link.get("val", "") if link is not None else "")
        name = " ".join(inner_text(v) for v in element.findall(f"{_CX}tx//{_CX}v"))
        found: dict[str, dict[int, str]] = {"strDim": {}, "numDim": {}}
        for dimension in block if block is not None else ():
            kind = local_name(dimension)
            points = found.setdefault(kind, {})
            for point in dimension.iter(f"{_CX}pt"):
                points.setdefault(_whole(point.get("idx"), len(points)), inner_text(point).strip())
            reference = dimension.find(f"{_CX}f")
            if not points and reference is not None:
                points.update(_cells(reference, look, plain=kind == "numDim"))
        values = {i: chart_number(v) for i, v in found["numDim"].items()}
        yield ChartSeries(name, found["strDim"], values)


# -- SmartArt --------------------------------------------------------------------------------------


def diagram_lines(package: Package, part: str, relation_id: str) -> list[tuple[int, str]]:
    """Depth (from 1) and text of the points of a SmartArt diagram, in the order of its outline.

    Args:
        package: The package.
        part: Part that shows the diagram.
        relation_id: Id of the relationship to the diagram's data part.
    """
    link = package.relationships(part).get(relation_id)
    root = package.xml(link.target) if link and not link.external else None
    if root is None:
        return []
    texts: dict[str, str] = {}
    start = ""
    for point in root.iter(f"{_DGM}pt"):
        kind, key = point.get("type", "node"), point.get("modelId", "")
        if kind == "doc":
            start = key
        if kind in ("node", "asst"):
            lines = [paragraph_text(p) for p in point.iter(f"{_A}p")]
            texts[key] = "\n".join(line for line in lines if line)
    below: dict[str, list[tuple[int, str]]] = {}
    for line in root.iter(f"{_DGM}cxn"):
        if line.get("type", "parOf") == "parOf":
            order = _whole(line.get("srcOrd"), 0)
            below.setdefault(line.get("srcId", ""), []).append((order, line.get("destId", "")))
    found: list[tuple[int, str]] = []
    seen = {start}
    stack = [(1, key) for _, key in sorted(below.get(start, ()), reverse=True)]
    while stack:
        depth, key = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        if texts.get(key):
            found.append((depth, texts[key]))
        stack += [(depth + 1, child) for _, child in sorted(below.get(key, ()), reverse=True)]
    found += [(1, text) for key, text in texts.items() if text and key not in seen]
    return found


def diagram_relation(frame: Element) -> str:
    """Relationship id of a SmartArt frame's data part, or ""."""
    ids = next(frame.iter(f"{_DGM}relIds"), None)
    return "" if ids is None else attribute(ids, "dm")


def chart_relation(frame: Element) -> str:
    """Relationship id of a chart frame's chart part, or ""."""
    chart = next(frame.iter(f"{_C}chart", f"{_CX}chart"), None)
    return "" if chart is None else attribute(chart, "id")
