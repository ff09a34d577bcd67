"""Objects of OpenDocument files: documents of their own in folders of the package, such as charts."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

from parsers.common.opc import Element, Package
from parsers.odf.names import XLINK

__all__ = ["Objects", "objects_of"]

Objects = Callable[[Element], Element | None]
"""Content of the object that a ``draw:object`` shows, or None."""


def objects_of(package: Package) -> Objects:
    """Objects that lie in folders of the package."""

    def content(element: Element) -> Element | None:
        folder = unquote(str(element.get(f"{XLINK}href", ""))).removeprefix("./").rstrip("/")
        part = f"{folder}/content.xml"
        return package.xml(part) if folder and part in package else None

    return content
