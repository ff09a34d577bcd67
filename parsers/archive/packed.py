"""7z, rar, tar, cab and files packed alone (gz, bz2, xz, zst), through libarchive.

Members are read in one pass: solid archives unpack everything before a member to get at it, and a tape archive
has no directory. A link names another file and has no bytes of its own, so nothing is made of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from contracts.documents import Child, ChildRelation, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.archive.members import CHUNK, check_depth, failed, is_junk, over_the_limit, result
from parsers.archive.names import decode_all
from parsers.common.names import safe_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.parsing import ParserContext, ParserInput

__all__ = ["PackedParser"]

_ALONE = frozenset({"gz", "bz2", "xz", "zst"})
"""One compressed stream: a tape archive, or one file."""
_ENDINGS = (".gz", ".bz2", ".xz", ".zst")
_RAW = "raw"


class PackedParser:
    """Unpacks one level. A member that cannot be taken out is a child with its reason; the others go on."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Unpack an archive.

        Raises:
            ParseFailure: ``encrypted``, ``corrupt``, ``truncated``, ``empty``, ``unsupported`` where libarchive is not
                installed, or ``archive_bomb`` where no level may follow.
        """
        try:
            import libarchive
        except (ImportError, TypeError, AttributeError, OSError) as problem:
            # The binding ends so where the system has no library, or one too old.
            raise ParseFailure(
                FailureClass.UNSUPPORTED,
                "libarchive is not installed (apt-get install libarchive13)",
            ) from problem
        try:
            return _Unpacking(source, context).run()
        except libarchive.ArchiveError as problem:
            raise _failure(problem) from problem


class _Unpacking:
    def __init__(self, source: ParserInput, context: ParserContext) -> None:
        self._source = source
        self._context = context
        self._names: list[str | bytes] = []
        self._children: list[Child] = []
        self._seen = 0

    def run(self) -> ParsedDocument:
        alone = self._source.format in _ALONE
        check_depth(self._context)
        # a packed file of zeros looks like a tape archive that ends at once
        for formats in (("all", _RAW), (_RAW,)) if alone else (("all",),):
            if not self._seen:
                with _reader(self._source.path, formats) as archive:
                    self._take_all(archive)
        if not self._seen:
            raise ParseFailure(FailureClass.EMPTY, "archive without members")
        names = decode_all(self._names)
        children: list[Child] = []
        wanted: list[str] = []
        for name, child in zip(names, self._children, strict=True):
            if not is_junk(name):
                wanted.append(name)
                children.append(replace(child, name=safe_name(name)))
        return result(self._source.format, children, wanted, len(names) - len(wanted))

    def _take_all(self, archive: Any) -> None:
        import libarchive

        entries = iter(archive)
        while True:
            try:
                entry = next(entries, None)
            except libarchive.ArchiveError as problem:
                if not self._children:
                    raise
                # what came before the damage was taken out; what comes after it cannot be found
                found = _failure(problem)
                self._add("…", failed("…", found.failure, f"the rest: {found.detail}"))
                return
            if entry is None:
                return
            self._seen += 1
            if not entry.isfile:
                continue
            name = _name_of(entry, archive, self._source.name)
            if self._context.budget.members <= 0:
                self._add(name, over_the_limit("…", None))
                return
            self._add(name, self._member(entry))

    def _member(self, entry: Any) -> Child:
        import libarchive

        try:
            return self._context.spool("…", ChildRelation.MEMBER, _blocks(entry))
        except ParseFailure as problem:
            return failed("…", problem.failure, problem.detail)
        except libarchive.ArchiveError as problem:
            found = _failure(problem)
            return failed("…", found.failure, f"member: {found.detail}")

    def _add(self, name: str | bytes, child: Child) -> None:
        self._names.append(name)
        self._children.append(child)


def _reader(path: Any, formats: tuple[str, ...]) -> Any:
    """A reader that tries the formats in turn; ``raw`` takes whatever no other format takes."""
    from contextlib import contextmanager

    from libarchive import ffi
    from libarchive.read import ArchiveRead, new_archive_read

    @contextmanager
    def opened() -> Iterator[Any]:
        with new_archive_read(formats[0]) as pointer:
            for name in formats[1:]:
                ffi.get_read_format_function(name)(pointer)
            ffi.read_open_filename_w(pointer, str(path), CHUNK)
            yield ArchiveRead(pointer)

    return opened()


def _blocks(entry: Any) -> Iterator[bytes]:
    yield from entry.get_blocks(CHUNK)


def _name_of(entry: Any, archive: Any, packed_name: str) -> str | bytes:
    """The member's name as text where the archive says so, else its bytes."""
    from libarchive import ffi

    if archive.format_name == _RAW.encode():
        return _without_ending(packed_name)
    wide: str | None = ffi.entry_pathname_w(entry._entry_p)  # noqa: SLF001  the binding decodes as UTF-8 alone
    if wide is not None and not any("\udc80" <= c <= "\udcff" for c in wide):
        return wide
    raw: bytes | None = ffi.entry_pathname(entry._entry_p)  # noqa: SLF001
    return raw or b"unnamed"


def _without_ending(name: str) -> str:
    for ending in _ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def _failure(problem: Exception) -> ParseFailure:
    """The class of libarchive's own words."""
    said = str(problem)
    lower = said.lower()
    if "encrypt" in lower or "passphrase" in lower:
        return ParseFailure(FailureClass.ENCRYPTED, "encrypted archive")
    if "truncated" in lower:
        return ParseFailure(FailureClass.TRUNCATED, "archive ends too early")
    if "unsupported" in lower or "not supported" in lower:
        return ParseFailure(
            FailureClass.UNSUPPORTED, "a packing method that libarchive does not know"
        )
    return ParseFailure(FailureClass.CORRUPT, "damaged archive")
