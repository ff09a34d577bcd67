"""Speaker notes and comments of a slide."""

from __future__ import annotations

from contracts.documents import Block, BlockKind, Layer
from parsers.common.opc import Element, Package, inner_text, local_name
from parsers.pptx.shapes import P, placeholder_of
from parsers.pptx.text import A, body_text

__all__ = ["Authors", "authors_of", "comment_blocks", "note_blocks"]

_NOT_NOTES = frozenset({"sldImg", "sldNum", "dt", "ftr", "hdr"})

Authors = dict[str, str]
"""Names of the authors of comments by id."""


def note_blocks(package: Package, part: str) -> list[Block]:
    """Speaker notes: the texts of the notes page, without its page number, date and header."""
    blocks: list[Block] = []
    for target in package.related(part, "notesSlide"):
        root = package.xml(target)
        for shape in root.iter(f"{P}sp") if root is not None else ():
            placeholder = placeholder_of(shape)
            body = shape.find(f"{P}txBody")
            kind = placeholder.get("type", "") if placeholder is not None else ""
            text = body_text(body) if body is not None and kind not in _NOT_NOTES else ""
            if text:
                blocks.append(Block(kind=BlockKind.NOTE, text=text, layer=Layer.NOTES))
    return blocks


def authors_of(package: Package, part: str) -> Authors:
    """Authors of comments that the presentation lists, old and new style."""
    found: Authors = {}
    for kind in ("commentAuthors", "authors"):
        for target in package.related(part, kind):
            root = package.xml(target)
            for author in root if root is not None else ():
                found[author.get("id", "")] = author.get("name", "")
    return found


def comment_blocks(package: Package, part: str, authors: Authors) -> list[Block]:
    """Comments and their replies, in the file's order."""
    blocks: list[Block] = []
    for target in package.related(part, "comments"):
        root = package.xml(target)
        for entry in root.iter() if root is not None else ():
            if local_name(entry) not in ("cm", "reply"):
                continue
            text = _comment_text(entry)
            author = authors.get(entry.get("authorId", ""), "")
            if text:
                blocks.append(
                    Block(kind=BlockKind.NOTE, text=text, layer=Layer.NOTES, label=author)
                )
    return blocks


def _comment_text(entry: Element) -> str:
    """Old-style comments hold ``p:text``, threaded ones a text body of their own."""
    for child in entry:
        name = local_name(child)
        if name == "text":
            return inner_text(child).strip()
        if name == "txBody":
            return "\n".join(filter(None, (inner_text(p).strip() for p in child.iter(f"{A}p"))))
    return ""
