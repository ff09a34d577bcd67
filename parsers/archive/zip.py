"""Zip archives: members become children; names are decoded by evidence and never leave the archive."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING

from contracts.documents import Child, ChildRelation, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.archive.members import CHUNK, check_depth, failed, is_junk, over_the_limit, result
from parsers.archive.names import decode_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.parsing import ParserContext, ParserInput

__all__ = ["ZipParser"]

_NAMELESS = "unnamed"
"""Of a damaged directory, whose entry has no name: its content is not lost for that."""

_ENCRYPTED = 0x1
_CORRUPT = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError)


class ZipParser:
    """Unpacks one level. A member that cannot be taken out is a child with its reason; the others go on."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Unpack an archive.

        Raises:
            ParseFailure: ``corrupt``, ``empty``, or ``archive_bomb`` where no level may follow.
        """
        try:
            with zipfile.ZipFile(source.path) as archive:
                return _unpack(archive, context)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as problem:
            raise ParseFailure(FailureClass.CORRUPT, f"zip: {type(problem).__name__}") from problem


def _unpack(archive: zipfile.ZipFile, context: ParserContext) -> ParsedDocument:
    infos = archive.infolist()
    if not infos:
        raise ParseFailure(FailureClass.EMPTY, "archive without members")
    members = [
        (info, name or _NAMELESS)
        for info, name in zip(infos, decode_names(infos), strict=True)
        if not (info.filename and info.is_dir()) and not name.endswith("/")
    ]
    wanted = [(info, name) for info, name in members if not is_junk(name)]
    if wanted:
        check_depth(context)
    children: list[Child] = []
    for at, (info, name) in enumerate(wanted):
        if context.budget.members <= 0:
            children.append(over_the_limit(name, len(wanted) - at))
            break
        children.append(_member(archive, info, name, context))
    return result("zip", children, [name for _, name in wanted], len(members) - len(wanted))


def _member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, context: ParserContext
) -> Child:
    if info.flag_bits & _ENCRYPTED:
        return failed(name, FailureClass.ENCRYPTED, "encrypted member")
    if info.file_size > context.budget.total_bytes:
        # What the directory declares is also what zipfile reads at most.
        return failed(name, FailureClass.ARCHIVE_BOMB, "unpacked size over the limit")
    try:
        return context.spool(name, ChildRelation.MEMBER, _chunks(archive, info))
    except ParseFailure as problem:
        return failed(name, problem.failure, problem.detail)
    except (NotImplementedError, RuntimeError) as problem:
        # A compression method that Python does not know; zipfile's word for a missing password, too.
        return failed(name, FailureClass.UNSUPPORTED, f"member: {type(problem).__name__}")
    except _CORRUPT as problem:
        return failed(name, FailureClass.CORRUPT, f"member: {type(problem).__name__}")


def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(info) as member:
        while chunk := member.read(CHUNK):
            yield chunk
