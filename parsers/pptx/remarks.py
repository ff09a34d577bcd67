"""Speaker notes and comments of a slide."""

from __future__ import annotations

from contracts.documents import Block, BlockKind, Child, Layer
from contracts.parsing import ParserContext
from parsers.common.opc import Element, Package, inner_text, local_name
from parsers.common.slides import FURNITURE, notes_of
from parsers.pptx.shapes import P, Placeholders, SlideReader
from parsers.pptx.text import A

__all__ = ["Authors", "authors_of", "comment_blocks", "note_blocks"]

_NOT_NOTES = FURNITURE | {"sldImg"}

Authors = dict[str, str]
"""Names of the authors of comments by id."""


def note_blocks(
    package: Package, part: str, context: ParserContext
) -> tuple[list[Block], list[Child]]:
    """Speaker notes: what the notes page shows, without its page number, date and header, and the files in it."""
    blocks: list[Block] = []
    children: list[Child] = []
    for target in package.related(part, "notesSlide"):
        root = package.xml(target)
        tree = next(root.iter(f"{P}spTree"), None) if root is not None else None
        reader = SlideReader(package, target, context, Placeholders())
        for shape in reader.shapes(tree) if tree is not None else ():
            if shape.role not in _NOT_NOTES:
                blocks += notes_of(shape.blocks)
        children += reader.children
    return blocks, children


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
