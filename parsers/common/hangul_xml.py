"""XML parts of both Hangul formats, read without entities, network or huge trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from parsers.common.drawingml import chart_of

if TYPE_CHECKING:
    from contracts.documents import Table

__all__ = ["parse_xml", "read_chart"]


def parse_xml(data: bytes) -> tuple[Any, bool]:
    """Parse a part, in part only where it is damaged.

    Returns:
        The root element, or None where nothing can be read, and whether the part was well-formed.
    """
    for recover in (False, True):
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            huge_tree=False,
            remove_comments=True,
            recover=recover,
        )
        try:
            return etree.fromstring(data, parser), not recover
        except etree.XMLSyntaxError:
            continue
    return None, False


def read_chart(data: bytes) -> tuple[str, Table | None]:
    """Titles and values of a DrawingML chart part; ("", None) where it cannot be read."""
    root, _ = parse_xml(data)
    if root is None:
        return "", None
    try:
        return chart_of(root)
    except ValueError:
        # A point whose index is no number: the chart was not written by any known program.
        return "", None
