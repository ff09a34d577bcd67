"""Zip archives: members become children; names are decoded by evidence and never leave the archive."""

from __future__ import annotations

import unicodedata
import zipfile
import zlib
from typing import TYPE_CHECKING

from contracts.documents import Child, ChildRelation, ParsedDocument, Quality
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.charset import guess_charset, hangul_share
from parsers.common.names import safe_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.ports import ParserContext, ParserInput

__all__ = ["ArchiveParser", "decode_names"]

_CHUNK = 1 << 18
_ENCRYPTED = 0x1
_UTF8_NAMES = 0x800  # APPNOTE.TXT 4.4.4, bit 11
_UNICODE_PATH = 0x7075  # APPNOTE.TXT 4.6.9
_LEGACY = {"cp949": "euc_kr", "gb18030": "gb2312", "cp932": "shift_jis", "cp950": "big5"}
"""Code pages of East Asian Windows, each with the national standard that holds its common characters."""
_RESOURCE_FORKS = ("__MACOSX/",)
_JUNK = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_COMMON_IDEOGRAPHS = ("\u4e00", "\u9fff")
_CORRUPT = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError)
_SURE_HANGUL = 0.5


class ArchiveParser:
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
    names = decode_names(infos)
    members = [
        (info, name)
        for info, name in zip(infos, names, strict=True)
        if not info.is_dir() and not name.endswith("/")
    ]
    wanted = [(info, name) for info, name in members if not _is_junk(name)]
    if not infos:
        raise ParseFailure(FailureClass.EMPTY, "archive without members")
    if wanted and context.budget.depth < 0:
        raise ParseFailure(
            FailureClass.ARCHIVE_BOMB, "more containers within containers than allowed"
        )
    children: list[Child] = []
    for at, (info, name) in enumerate(wanted):
        if context.budget.members <= 0:
            rest = len(wanted) - at
            children.append(
                _failed(name, FailureClass.ARCHIVE_BOMB, f"{rest} members are over the limit")
            )
            break
        children.append(_member(archive, info, name, context))
    return ParsedDocument(
        format="zip",
        children=tuple(children),
        properties={"members": str(len(wanted))},
        quality=Quality(),
        warnings=tuple(_warnings(len(members) - len(wanted), children, wanted)),
    )


def _warnings(
    junk: int, children: Sequence[Child], wanted: Sequence[tuple[zipfile.ZipInfo, str]]
) -> Iterator[str]:
    if junk:
        yield f"{junk} resource forks and system files were skipped"
    renamed = sum(safe_name(name) != unicodedata.normalize("NFC", name) for _, name in wanted)
    if renamed:
        yield f"{renamed} member names were made safe"
    failed = sum(bool(child.failure) for child in children)
    if failed:
        yield f"{failed} members could not be taken out"


def _member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, context: ParserContext
) -> Child:
    if info.flag_bits & _ENCRYPTED:
        return _failed(name, FailureClass.ENCRYPTED, "encrypted member")
    if info.file_size > context.budget.total_bytes:
        # What the directory declares is also what zipfile reads at most.
        return _failed(name, FailureClass.ARCHIVE_BOMB, "unpacked size over the limit")
    try:
        return context.spool(name, ChildRelation.MEMBER, _chunks(archive, info))
    except ParseFailure as problem:
        return _failed(name, problem.failure, problem.detail)
    except (NotImplementedError, RuntimeError) as problem:
        # A compression method that Python does not know; zipfile's word for a missing password, too.
        return _failed(name, FailureClass.UNSUPPORTED, f"member: {type(problem).__name__}")
    except _CORRUPT as problem:
        return _failed(name, FailureClass.CORRUPT, f"member: {type(problem).__name__}")


def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(info) as member:
        while chunk := member.read(_CHUNK):
            yield chunk


def _failed(name: str, failure: FailureClass, detail: str) -> Child:
    return Child(
        name=safe_name(name), relation=ChildRelation.MEMBER, failure=failure.value, detail=detail
    )


def _is_junk(name: str) -> bool:
    last = name.rpartition("/")[2]
    return name.startswith(_RESOURCE_FORKS) or last in _JUNK or last.startswith("._")


def decode_names(infos: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Names of entries, ``/`` between folders.

    Entries marked as UTF-8 are; others are in the code page of the machine that packed them, which nothing
    states: all their bytes together decide it.
    """
    raw = [b"" if info.flag_bits & _UTF8_NAMES else _raw_name(info) for info in infos]
    charset = _charset_of(b"\n".join(name for name in raw if not name.isascii()))
    return [
        _unicode_path(info) or (_decode(name, charset) if name else info.filename)
        for info, name in zip(infos, raw, strict=True)
    ]


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    """The bytes that :mod:`zipfile` decoded as code page 437, which maps every byte."""
    try:
        return info.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return b""


def _decode(name: bytes, charset: str) -> str:
    # In double-byte code pages a backslash may be half of a character, so it is replaced in the text.
    text = name.decode(charset, "replace")
    return text.replace("\\", "/") if "/" not in text or charset != "cp437" else text


def _charset_of(raw: bytes) -> str:
    if not raw:
        return "cp437"
    if guess_charset(raw) == "utf-8":
        return "utf-8"
    if hangul_share(raw) >= _SURE_HANGUL and _fits(raw, "cp949"):
        return "cp949"
    fitting = [name for name in _LEGACY if _fits(raw, name)]
    if not fitting:
        return "cp437"
    return max(fitting, key=lambda name: _plausible(raw.decode(name), _LEGACY[name]))


def _fits(raw: bytes, charset: str) -> bool:
    try:
        raw.decode(charset)
    except UnicodeDecodeError:
        return False
    return True


def _plausible(text: str, standard: str) -> float:
    """How much a decoding looks like names: characters of one script, and common ones.

    Returns:
        Share of the non-ASCII characters in the prevailing script, times the share of those that the
        national standard has; mixed scripts and rare characters mean a wrong guess.
    """
    common = text.encode(standard, "ignore").decode(standard)
    counts = {"hangul": 0, "kana": 0, "han": 0, "other": 0}
    for character in text:
        if character.isascii():
            continue
        if "가" <= character <= "힣":
            counts["hangul"] += 1
        elif "぀" <= character <= "ヿ":
            counts["kana"] += 1
        elif _COMMON_IDEOGRAPHS[0] <= character <= _COMMON_IDEOGRAPHS[1]:
            counts["han"] += 1
        else:
            counts["other"] += 1
    total = sum(counts.values()) or 1
    japanese = counts["kana"] + counts["han"] if counts["kana"] else 0
    usual = sum(not character.isascii() for character in common) / total
    return max(counts["hangul"], counts["han"], japanese) / total * usual


def _unicode_path(info: zipfile.ZipInfo) -> str:
    """The UTF-8 name that some packers add beside the one in a code page (extra field 0x7075)."""
    extra = info.extra
    while len(extra) >= 4:  # noqa: PLR2004  id and size
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        body = extra[4 : 4 + size]
        if kind == _UNICODE_PATH and body[:1] == b"\x01":
            return body[5:].decode("utf-8", "replace")
        extra = extra[4 + size :]
    return ""
