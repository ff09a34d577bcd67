"""Plain text to blocks: paragraphs, list items and the headings that Korean documents number by hand."""

from __future__ import annotations

import re

from contracts.documents import Block, BlockKind
from parsers.common.text_headings import heading_rank, list_label, with_headings

__all__ = ["plain_blocks"]

_RULE = re.compile(r"\s*([=\-_*~#─━═])\1{2,}\s*")
_LONGEST = 4000
"""A paragraph that grows beyond it is cut at a line end: logs have no blank lines."""


def plain_blocks(text: str) -> list[Block]:
    """Blocks of a text in order; every visible character is in one of them, rules of signs excepted."""
    collector = _Collector()
    for line in text.replace("\f", "\n\n").splitlines():
        collector.take(line)
    collector.flush()
    return with_headings(collector.blocks)


class _Collector:
    """Takes lines, gives blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._lines: list[str] = []
        self._size = 0
        self._item: tuple[str, int] | None = None
        self._indents: list[int] = []

    def take(self, line: str) -> None:
        """Add one line."""
        stripped = line.strip()
        if not stripped:
            self.flush()
            return
        if _RULE.fullmatch(line):
            self._underline(stripped[0])
            return
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        label = list_label(stripped)
        if label is not None:
            self.flush(keep_indents=True)
            self._item = (label[0], self._depth(indent))
            self._add(label[1])
        elif heading_rank(stripped):
            self.flush()
            self._add(stripped)
            self.flush()
        else:
            if self._item is not None and indent <= self._indents[-1]:
                self.flush()
            self._add(stripped)

    def flush(self, *, keep_indents: bool = False) -> None:
        """End the current block."""
        text = "\n".join(self._lines)
        if text and self._item is not None:
            label, level = self._item
            self.blocks.append(Block(kind=BlockKind.LIST_ITEM, text=text, label=label, level=level))
        elif text:
            self.blocks.append(Block(kind=BlockKind.PARAGRAPH, text=text))
        self._lines, self._size, self._item = [], 0, None
        if not keep_indents:
            self._indents = []

    def _add(self, text: str) -> None:
        self._lines.append(text)
        self._size += len(text)
        if self._size > _LONGEST:
            self.flush()

    def _depth(self, indent: int) -> int:
        """Depth in the running list: how many smaller indents lead to this one."""
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or self._indents[-1] < indent:
            self._indents.append(indent)
        return len(self._indents)

    def _underline(self, sign: str) -> None:
        """A line of signs ends the block; under one short line it makes it a heading."""
        underlined = len(self._lines) == 1 and self._item is None and sign in "=-─━═"
        self.flush()
        if underlined and len(self.blocks[-1].text) <= 80:  # noqa: PLR2004
            last = self.blocks.pop()
            level = 2 if sign in "-─" else 1
            self.blocks.append(Block(kind=BlockKind.HEADING, text=last.text, level=level))
