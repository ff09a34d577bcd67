"""Markdown to blocks, by the CommonMark grammar with tables."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import structs

from contracts.documents import Block, BlockKind, Cell, Table
from parsers.common.headers import headers_of_table
from parsers.common.markup import read_markup

__all__ = ["markdown_blocks"]

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([\w가-힣][\w가-힣 -]{0,40})\s*:\s*(\S.*)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def markdown_blocks(text: str) -> tuple[dict[str, str], list[Block]]:
    """Front matter fields (lower case) and the blocks."""
    fields: dict[str, str] = {}
    front = _FRONT.match(text)
    if front:
        for line in front[1].splitlines():
            if match := _FIELD.match(line):
                fields[match[1].strip().lower()] = match[2].strip().strip("\"'")
        text = text[front.end() :]
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    builder = _Builder()
    for token in parser.parse(text):
        builder.take(token)
    return fields, builder.blocks


class _Builder:
    """Follows the flat token stream."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._lists: list[int | None] = []
        self._item: str | None = None
        self._heading = 0
        self._cells: list[Cell] | None = None
        self._row = self._column = self._columns = self._head_rows = 0

    def take(self, token: Token) -> None:
        """Take one token."""
        handler = getattr(self, f"_{token.type}", None)
        if handler is not None:
            handler(token)

    def _heading_open(self, token: Token) -> None:
        self._heading = int(token.tag[1:])

    def _heading_close(self, _: Token) -> None:
        self._heading = 0

    def _bullet_list_open(self, _: Token) -> None:
        self._lists.append(None)

    def _ordered_list_open(self, token: Token) -> None:
        start = token.attrGet("start")
        self._lists.append(int(start) if start is not None else 1)

    def _bullet_list_close(self, _: Token) -> None:
        self._lists.pop()

    _ordered_list_close = _bullet_list_close

    def _list_item_open(self, token: Token) -> None:
        number = self._lists[-1]
        if number is None:
            self._item = ""
        else:
            self._item = f"{number}{token.markup}"
            self._lists[-1] = number + 1

    def _list_item_close(self, _: Token) -> None:
        self._item = None

    def _fence(self, token: Token) -> None:
        if token.content.strip():
            self.blocks.append(Block(kind=BlockKind.CODE, text=token.content.rstrip("\n")))

    _code_block = _fence

    def _html_block(self, token: Token) -> None:
        self.blocks += read_markup(token.content).blocks

    def _inline(self, token: Token) -> None:
        text, pictures = _inline_text(token.children or [])
        if self._cells is not None:
            shown = " ".join([text, *pictures]).strip()
            if shown:
                self._cells.append(Cell(self._row, self._column, shown))
            return
        if text:
            self.blocks.append(self._block(text))
            self._item = None
        self.blocks += [Block(kind=BlockKind.FIGURE, text=alternative) for alternative in pictures]

    def _block(self, text: str) -> Block:
        if self._heading:
            return Block(kind=BlockKind.HEADING, text=text, level=self._heading)
        if self._lists and self._item is not None:
            kind, level = BlockKind.LIST_ITEM, len(self._lists)
            return Block(kind=kind, text=text, level=level, label=self._item)
        return Block(kind=BlockKind.PARAGRAPH, text=text)

    def _table_open(self, _: Token) -> None:
        self._cells = []
        self._row = self._columns = self._head_rows = 0

    def _thead_close(self, _: Token) -> None:
        self._head_rows = self._row

    def _tr_open(self, _: Token) -> None:
        self._column = 0

    def _tr_close(self, _: Token) -> None:
        self._row += 1
        self._columns = max(self._columns, self._column)

    def _th_close(self, _: Token) -> None:
        self._column += 1

    _td_close = _th_close

    def _table_close(self, _: Token) -> None:
        if self._cells:
            table = Table(cells=tuple(self._cells), rows=self._row, columns=self._columns)
            found = headers_of_table(table, declared=self._head_rows)
            if not any(cell.row < self._head_rows for cell in self._cells):
                found = structs.replace(found, header_rows=0)
            self.blocks.append(Block(kind=BlockKind.TABLE, table=found))
        self._cells = None


def _inline_text(tokens: list[Token]) -> tuple[str, list[str]]:
    """Text of a run of inline tokens, and the alternative texts of its pictures."""
    parts: list[str] = []
    pictures: list[str] = []
    for token in tokens:
        if token.type in ("text", "code_inline"):
            parts.append(token.content)
        elif token.type == "softbreak":
            parts.append(" ")
        elif token.type == "hardbreak" or (
            token.type == "html_inline" and _BREAK.fullmatch(token.content)
        ):
            parts.append("\n")
        elif token.type == "image" and token.content.strip():
            pictures.append(token.content.strip())
    return "".join(parts).strip(), pictures
