"""Text of a paragraph, and what hangs on it: notes, comments, pictures, boxes (ECMA-376 Part 1 §17.3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.common.opc import Element, local_name
from parsers.docx.styles import W, is_on, value_of

__all__ = ["Content", "chosen_branch", "read_paragraph", "style_id"]

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_INLINE = frozenset(
    {"hyperlink", "smartTag", "ins", "moveTo", "sdt", "sdtContent", "fldSimple", "customXml", "dir", "bdo",
     "ruby", "rubyBase"}
)  # fmt: skip
_PLAIN = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "-"}
_REFERENCES = frozenset({"footnoteReference", "endnoteReference", "commentReference"})
_OBJECTS = frozenset({"drawing", "pict", "object"})
# Characters of Wingdings that forms use as marks (§17.3.3.30 gives only a code in the font).
_SYMBOLS = {
    0xA7: "▪", 0xA8: "☐", 0x6F: "☐", 0x71: "☐", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xFB: "✗", 0x78: "☒",
    0xE0: "→", 0xE8: "➔", 0xF0: "⇨", 0xD8: "➢", 0x6C: "●", 0x6E: "■", 0xB7: "•", 0x76: "❖", 0xAB: "★",
}  # fmt: skip
_RUBY_RUN = f"{W}rubyBase/{W}r"
_MOST_DEPTH = 60


@dataclass(slots=True)
class Content:
    """What a paragraph holds.

    Attributes:
        parts: Pieces of the visible text.
        hidden_parts: Pieces of the hidden text.
        references: ``(kind, id)`` of footnotes, endnotes and comments, in order.
        objects: Drawings, pictures and embedded objects, in order.
        plain: Some visible letters are not bold.
        some_bold: Some are.
    """

    parts: list[str] = field(default_factory=list)
    hidden_parts: list[str] = field(default_factory=list)
    references: list[tuple[str, str]] = field(default_factory=list)
    objects: list[Element] = field(default_factory=list)
    plain: bool = False
    some_bold: bool = False

    @property
    def text(self) -> str:
        """Visible text; tracked deletions are out, insertions in."""
        return "".join(self.parts).strip()

    @property
    def hidden(self) -> str:
        """Hidden text."""
        return "".join(self.hidden_parts).strip()

    @property
    def bold(self) -> bool:
        """All visible letters are bold."""
        return self.some_bold and not self.plain


def read_paragraph(paragraph: Element, *, bold: bool = False, hidden: bool = False) -> Content:
    """Content of a ``w:p``; ``bold`` and ``hidden`` are what its style says of its runs."""
    content = Content()
    _inline(paragraph, content, bold, hidden, 0)
    return content


def chosen_branch(alternate: Element) -> Element | None:
    """The branch of an ``mc:AlternateContent`` to read: the first choice, else the fallback."""
    branches = {local_name(branch): branch for branch in reversed(list(alternate))}
    return branches.get("Choice", branches.get("Fallback"))


def _inline(parent: Element, content: Content, bold: bool, hidden: bool, depth: int) -> None:  # noqa: FBT001
    if depth > _MOST_DEPTH:
        return
    for child in parent:
        name = local_name(child)
        if name == "r":
            _run(child, content, bold, hidden)
        elif name in _INLINE:
            _inline(child, content, bold, hidden, depth + 1)
        elif name == "AlternateContent":
            branch = chosen_branch(child)
            if branch is not None:
                _inline(branch, content, bold, hidden, depth + 1)
        elif name in ("oMath", "oMathPara"):
            content.parts.append("".join(t.text or "" for t in child.iter(f"{_M}t")))


def _run(run: Element, content: Content, bold: bool, hidden: bool) -> None:  # noqa: FBT001
    properties = run.find(f"{W}rPr")
    out_of_sight = is_on(properties, "vanish", default=hidden)
    target = content.hidden_parts if out_of_sight else content.parts
    before = len(target)
    _run_content(run, content, target)
    if not out_of_sight and any(part.strip() for part in target[before:]):
        if is_on(properties, "b", default=bold):
            content.some_bold = True
        else:
            content.plain = True


def _run_content(run: Element, content: Content, target: list[str]) -> None:
    for child in run:
        name = local_name(child)
        if name == "t":
            target.append(child.text or "")
        elif name in _PLAIN:
            target.append(_PLAIN[name])
        elif name == "br":
            target.append("" if child.get(W + "type") in ("page", "column") else "\n")
        elif name == "sym":
            target.append(_symbol(child))
        elif name in _REFERENCES:
            kind = name.removesuffix("Reference")
            content.references.append((kind, str(child.get(W + "id", ""))))
        elif name in _OBJECTS:
            content.objects.append(child)
        elif name in ("ruby", "AlternateContent"):
            branch = chosen_branch(child) if name == "AlternateContent" else child.find(_RUBY_RUN)
            if branch is not None:
                _run_content(branch, content, target)


def _symbol(element: Element) -> str:
    try:
        code = int(str(element.get(W + "char", "")), 16)
    except ValueError:
        return ""
    font = str(element.get(W + "font", ""))
    if code & 0xF000 == 0xF000 or "wingdings" in font.lower():  # noqa: PLR2004
        return _SYMBOLS.get(code & 0xFF, chr(code))
    return chr(code)


def style_id(paragraph: Element) -> str:
    """Style id of a paragraph, or ""."""
    return value_of(paragraph.find(f"{W}pPr"), "pStyle")
