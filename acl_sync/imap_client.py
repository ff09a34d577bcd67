"""imapclient, with answers read that its own reader gives up: names with a bracket, identifiers beyond ASCII."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from imapclient import IMAPClient
from imapclient.exceptions import ProtocolError
from imapclient.imap_utf7 import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["ListedFolder", "MailClient"]

_TOKEN = re.compile(rb'\s*(?:"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+))', re.DOTALL)
_LITERAL = re.compile(rb"\{\d+\}$")


class ListedFolder(NamedTuple):
    """One line of LIST: attributes in lower case, hierarchy delimiter or "", name."""

    attributes: frozenset[bytes]
    delimiter: str
    name: str


class MailClient(IMAPClient):  # type: ignore[misc]  # it has no types
    """Read-only questions about folders."""

    def folders(self, directory: str = "") -> Iterator[ListedFolder]:
        """All folders below a prefix.

        Raises:
            IMAPClientError: the server refuses.
        """
        for line in _lines(self._command_and_check("list", _quoted(directory), '"*"')):
            tokens = list(_tokens(line))
            if tokens[:1] != [b"("] or b")" not in tokens:
                raise ProtocolError("LIST without attributes")
            end = tokens.index(b")")
            delimiter, name = tokens[end + 1 : end + 3]
            yield ListedFolder(
                frozenset(flag.lower() for flag in tokens[1:end]),
                "" if delimiter == b"NIL" else delimiter.decode("ascii", "replace"),
                str(decode(name)),
            )

    def folder_exists(self, folder: str) -> bool:
        """Whether there is a folder of this name that the account may see."""
        return any(listed.name == folder for listed in self.folders())

    def status(self, folder: str, items: Iterable[str]) -> dict[str, int]:
        """Numbers of a folder (RFC 3501, 6.3.10).

        Raises:
            IMAPClientError: the server refuses.
        """
        answer = self._command_and_check("status", _quoted(folder), f"({' '.join(items)})")
        told: dict[str, int] = {}
        for line in _lines(answer):
            tokens = list(_tokens(line))
            pairs = tokens[
                tokens.index(b"(", 1) + 1 : -1
            ]  # the name stands first, whatever it holds
            told |= {
                key.decode("ascii", "replace").upper(): int(value)
                for key, value in zip(pairs[::2], pairs[1::2], strict=True)
            }
        return told

    def rights(self, folder: str) -> list[tuple[str, str]]:
        """Identifiers with their rights (RFC 4314, 3.3).

        Raises:
            IMAPClientError: the server refuses.
        """
        found: list[tuple[str, str]] = []
        for line in _lines(self._command_and_check("getacl", _quoted(folder))):
            texts = [token.decode("utf-8", "surrogateescape") for token in _tokens(line)][1:]
            found += zip(texts[::2], texts[1::2], strict=True)
        return found


def _quoted(folder: str) -> str:
    name = encode(folder).decode("ascii").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{name}"'


def _lines(
    answer: Sequence[bytes | tuple[bytes, bytes] | None],
) -> Iterator[list[bytes | tuple[bytes]]]:
    """What imaplib gives: an answer with a literal as pairs of what stands before it and the literal, then the rest."""
    line: list[bytes | tuple[bytes]] = []
    for part in answer:
        if isinstance(part, tuple):
            line += [_LITERAL.sub(b"", part[0]), (part[1],)]
        elif part is not None:
            yield [*line, part]
            line = []
    if line:
        yield line


def _tokens(line: Iterable[bytes | tuple[bytes]]) -> Iterator[bytes]:
    for part in line:
        if isinstance(part, tuple):
            yield part[0]
            continue
        for quoted, bracket, atom in _TOKEN.findall(part):
            if bracket or atom:
                yield bracket or atom
            else:
                yield re.sub(rb"\\(.)", rb"\1", quoted, flags=re.DOTALL)
