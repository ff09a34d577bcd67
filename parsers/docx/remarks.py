"""Footnotes, endnotes and comments by their ids (ECMA-376 Part 1 §17.11, §17.13.4)."""

from __future__ import annotations

from parsers.common.numbering import format_number
from parsers.common.opc import Element, Package
from parsers.docx.styles import W, value_of

__all__ = ["Remarks"]

_PARTS = (("footnote", "footnotes"), ("endnote", "endnotes"), ("comment", "comments"))
_FORMATS = {"footnote": "decimal", "endnote": "lowerRoman"}
_ORDINARY = frozenset({"", "normal"})

_Remark = tuple[str, Element, str]


class Remarks:
    """Notes and comments, handed out where they are referred to.

    Args:
        package: The package.
        part: The main part.
        settings: Root of the settings part, or None; it may change how notes are numbered.
    """

    def __init__(self, package: Package, part: str, settings: Element | None) -> None:
        self._found: dict[tuple[str, str], tuple[str, Element]] = {}
        self._counts: dict[str, int] = {}
        self._formats = dict(_FORMATS)
        for kind, relation in _PARTS:
            number = value_of(settings, f"{kind}Pr", "numFmt")
            if number:
                self._formats[kind] = number
            for target in package.related(part, relation):
                root = package.xml(target)
                for element in root.iterfind(W + kind) if root is not None else ():
                    if element.get(W + "type", "") in _ORDINARY:
                        self._found[kind, str(element.get(W + "id", ""))] = (target, element)

    def take(self, kind: str, reference: str) -> _Remark | None:
        """Part, element and label of a remark; each is handed out once."""
        found = self._found.pop((kind, reference), None)
        if found is None:
            return None
        part, element = found
        if kind == "comment":
            return part, element, str(element.get(W + "author", ""))
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return part, element, format_number(self._counts[kind], self._formats[kind])

    def left(self) -> list[tuple[str, str]]:
        """``(kind, id)`` of remarks that nothing referred to."""
        return list(self._found)
