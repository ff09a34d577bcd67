"""Text of a paragraph, and what hangs on it: notes, comments, pictures, boxes (ECMA-376 Part 1 §17.3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.common.opc import Element, child_of, local_name
from parsers.common.story_blocks import symbol_text
from parsers.docx.styles import W, says_on, value_of

__all__ = ["Content", "Properties", "chosen_branch", "properties_of", "read_paragraph"]

_PPR, _RPR, _TEXT, _VAL = W + "pPr", W + "rPr", W + "t", W + "val"
_STYLE, _NUMBERING, _OUTLINE = W + "pStyle", W + "numPr", W + "outlineLvl"
_BOLD, _VANISH = W + "b", W + "vanish"
_TOGGLES = frozenset({_BOLD, _VANISH})
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_INLINE = frozenset(
    {"hyperlink", "smartTag", "ins", "moveTo", "sdt", "sdtContent", "fldSimple", "customXml", "dir", "bdo",
     "ruby", "rubyBase"}
)  # fmt: skip
_PLAIN = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "-"}
_REFERENCES = frozenset({"footnoteReference", "endnoteReference", "commentReference"})
_OBJECTS = frozenset({"drawing", "pict", "object"})
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


@dataclass(frozen=True, slots=True)
class Properties:
    """What a paragraph's own properties say, each "" where they do not: style, list, list level, outline level."""

    style: str = ""
    list: str = ""
    list_level: str = ""
    outline: str = ""


_NONE = Properties()


def properties_of(paragraph: Element) -> Properties:
    """Properties of a ``w:p``."""
    holder = child_of(paragraph, _PPR)
    if holder is None or not len(holder):
        return _NONE
    found: dict[str, Element] = {}
    for child in holder:
        found.setdefault(child.tag, child)
    numbering = found.get(_NUMBERING)
    return Properties(
        _value(found.get(_STYLE)),
        value_of(numbering, "numId"),
        value_of(numbering, "ilvl"),
        _value(found.get(_OUTLINE)),
    )


def _value(element: Element | None) -> str:
    return "" if element is None else str(element.get(_VAL, ""))


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
        if child.tag == _PPR:
            continue
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
    parts: list[str] = []
    properties = _run_content(run, content, parts)
    if properties is not None:
        bold, hidden = _bold_and_hidden(properties, bold, hidden)
    if hidden:
        content.hidden_parts += parts
        return
    content.parts += parts
    if any(part.strip() for part in parts):
        if bold:
            content.some_bold = True
        else:
            content.plain = True


def _bold_and_hidden(properties: Element, bold: bool, hidden: bool) -> tuple[bool, bool]:  # noqa: FBT001
    """The two toggles, the first of each; the defaults where there is none."""
    found: dict[str, bool] = {}
    for child in properties:
        tag = child.tag
        if tag in _TOGGLES and tag not in found:
            found[tag] = says_on(child)
    return found.get(_BOLD, bold), found.get(_VANISH, hidden)


def _run_content(run: Element, content: Content, target: list[str]) -> Element | None:
    """Text of a run; returns its properties."""
    properties = None
    for child in run:
        tag = child.tag
        if tag == _TEXT:
            target.append(child.text or "")
        elif tag == _RPR:
            properties = child if properties is None else properties
        else:
            _other_content(child, local_name(child), content, target)
    return properties


def _other_content(child: Element, name: str, content: Content, target: list[str]) -> None:
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
    return symbol_text(code, str(element.get(W + "font", "")))
