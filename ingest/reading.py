"""From an item to parsed documents: fetch, hash, parse (or find the stored parse), children included.

Runs in threads; the work is done by the parse processes. What was parsed once is never parsed again: the
stored parse of identical bytes serves every copy, and a changed configuration of later steps.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from contracts.documents import ChildRelation, SourceItem
from contracts.errors import ItemBusyError, ItemGoneError
from contracts.failures import RETRYABLE, FailureClass
from contracts.outcomes import SkipReason
from ingest.ids import child_id, parse_key, tables_key
from ingest.pages import ItemPages
from ingest.unlocking import UNLOCKED
from parsers.codec import CodecError, decode_document, encode_document
from parsers.slices import SlicedParses
from parsers.tree import Unfolding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalog.records import ItemRecord
    from contracts.documents import Child, ParsedDocument
    from contracts.ports import BlobStore
    from contracts.sources import Source
    from ingest.unlocking import Unlocker
    from parsers.pool import ParsePool, ParseResult
    from parsers.tree import ParsedNode

__all__ = ["ItemReader", "Node", "stored_document"]

_BLOCK = 1 << 20
_INLINE_IMAGE = 30_000
"""Bytes up to which an inline picture of a mail counts as a logo of its signature."""
_IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")
_DOCUMENT, _FAILURE = b"D", b"F"
_NOT_KEPT = RETRYABLE | {FailureClass.ARCHIVE_BOMB}
"""Failures that another try, or another container around the same bytes, may not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One document as it was read, parents before children.

    Attributes:
        document_id: Its id.
        parent_id: Its container's id, or "".
        name: File name or member name.
        member_path: Name within the outermost container, ``!/`` between levels, or "".
        ordinal: Place among its container's children.
        size: Bytes.
        content_sha256: Hex digest, or "" where the bytes could not be had.
        parse_key: Blob key of the parse, or "".
        parsed: The document, or None.
        failure: Why there is none.
        reason: Detail of the failure, or why it was skipped.
        format: Sniffed format.
        seconds: Time that parsing took now; 0 where the stored parse served.
        peak_mb: Most memory of the parse process.
        fresh: Whether it was parsed now.
        stored: Whether its parse, or why there is none, lies in a blob now.
        waiting: Pages that have to be recognised first: then it is neither a document nor a failure.
        within: Digests of the containers around it.
        unlocked: How it, or a container around it, was opened although it was locked; "" where nothing was.
    """

    document_id: str
    parent_id: str = ""
    name: str
    member_path: str = ""
    ordinal: int = 0
    size: int = 0
    content_sha256: str = ""
    parse_key: str = ""
    parsed: ParsedDocument | None = None
    failure: FailureClass | None = None
    reason: str = ""
    format: str = ""
    seconds: float = 0.0
    peak_mb: float = 0.0
    fresh: bool = False
    stored: bool = False
    waiting: tuple[int, ...] = ()
    within: tuple[str, ...] = ()
    unlocked: str = ""


class _Failure(msgspec.Struct, frozen=True):
    failure: str
    detail: str
    format: str


class _NotStored(Exception):
    """Some part of a container has no stored parse."""


class ItemReader:
    """Reads items of one source.

    Args:
        source: Fetches them.
        pool: Parses.
        blobs: Keeps parses.
        fingerprint: Of the parse configuration.
        spool: Folder for temporary bytes.
        same_access: Read only objects whose access tag is the listed one (where lists lie with the objects).
        same_owner: The same without the change time, where that cannot be relied on.
        unlocker: Opens locked files.
        ask_pages: Long scans are recognised by others: such a document is a node with ``waiting`` pages.
        progress: Told the name of a long scan, how many of its pages are recognised, and of how many.
    """

    def __init__(  # noqa: PLR0913  the parts of reading, each once
        self,
        source: Source,
        pool: ParsePool,
        blobs: BlobStore,
        fingerprint: str,
        spool: Path,
        *,
        same_access: bool = False,
        same_owner: bool = False,
        ask_pages: bool = False,
        unlocker: Unlocker | None = None,
        progress: Callable[[str, int, int], None] = lambda _name, _done, _all: None,
    ) -> None:
        self._source = source
        self._ask_pages = ask_pages
        self._unlocker = unlocker
        self._progress = progress
        self._same_access = same_access
        self._same_owner = same_owner
        self._pool = pool
        self._blobs = blobs
        self._fingerprint = fingerprint
        self._spool = spool

    def read(self, item: ItemRecord) -> Iterator[Node]:
        """The item's document and, after it, those inside it.

        An item whose content is known is not fetched where all its parses are stored.
        """
        root = Node(document_id=item.document_id, name=_name(item.path), size=item.size)
        if item.content_sha256:
            known = replace(root, content_sha256=item.content_sha256)
            if self._whole(
                known
            ):  # looked through first: a mailbox does not fit into memory at once
                yield from self._stored(known)
                return
        with tempfile.TemporaryDirectory(prefix="item-", dir=self._spool) as folder:
            content = Path(folder) / "content"
            try:
                digest, size = self._fetch(item, content)
            except (ItemBusyError, ItemGoneError) as problem:
                yield replace(root, failure=FailureClass.UNREADABLE, reason=str(problem))
                return
            known = replace(root, content_sha256=digest, size=size)
            pages = ItemPages(self._blobs, self._spool, self._fingerprint, item.item_id)
            sliced = SlicedParses(
                self._pool,
                pages,
                ask=self._ask_pages,
                backwards=bool(item.item_id % 2),
                progress=self._progress,
            )
            unfolding = Unfolding(self._pool, Path(folder) / "children", sliced=sliced)
            for node in self._walk(
                known, unfolding, content, lambda: unfolding.parse_file(content, known.name, digest)
            ):
                if node.fresh and node.stored:
                    pages.drop(node.content_sha256)
                yield node

    def digest(self, item: ItemRecord) -> str:
        """Digest of the content as it is now, or "" where it cannot be read."""
        try:
            with self._source.fetch(self._listed(item)) as path, path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (ItemBusyError, ItemGoneError, OSError):
            return ""

    # -- stored parses -----------------------------------------------------------------------------

    def _stored(self, node: Node) -> Iterator[Node]:
        """The node and its children from stored parses alone, or ``_NotStored``."""
        found = self._find(node)
        if found is None:
            raise _NotStored
        yield found
        for child, below in self._children(found):
            if below.failure or below.reason:
                yield below
            elif not child.sha256:
                raise _NotStored
            else:
                yield from self._stored(below)

    def _find(self, node: Node) -> Node | None:
        key = parse_key(node.content_sha256, node.name, self._fingerprint)
        data = self._blobs.get(key)
        if data is None:
            return None
        known = replace(node, parse_key=key)
        try:
            if data[:1] == _FAILURE:
                kept = msgspec.json.decode(data[1:], type=_Failure)
                failure = FailureClass(kept.failure)
                return replace(known, failure=failure, reason=kept.detail, format=kept.format)
            document = decode_document(data[1:])
        except (CodecError, msgspec.DecodeError, ValueError):
            self._blobs.delete([key])  # written by another release
            return None
        how = document.properties.get(UNLOCKED, "") or node.unlocked
        return replace(known, parsed=document, format=document.format, unlocked=how)

    def _whole(self, node: Node) -> bool:
        try:
            for _ in self._stored(node):
                pass
        except _NotStored:
            return False
        return True

    # -- parsing -----------------------------------------------------------------------------------

    def _walk(
        self, node: Node, unfolding: Unfolding, path: Path, parse: Callable[[], ParsedNode]
    ) -> Iterator[Node]:
        if self._whole(node):
            yield from self._stored(node)
            return
        tree = parse()
        tree = self._unlocked(tree, path, unfolding) or tree
        here = self._keep(node, tree.result, unfolding.spool)
        yield here
        for child, below in self._children(here):
            if below.failure or below.reason:
                yield below
            else:
                inner = unfolding.spool / child.sha256
                parsing = partial(unfolding.parse_child, tree, child)
                yield from self._walk(below, unfolding, inner, parsing)

    def _keep(self, node: Node, result: ParseResult, spool: Path) -> Node:
        key = parse_key(node.content_sha256, node.name, self._fingerprint)
        stored = True
        if result.document is not None:
            if result.document.database:
                # before the document, so that whoever finds that finds its tables too
                database = spool / result.document.database
                self._blobs.put(tables_key(key), database.read_bytes())
                database.unlink()
            self._blobs.put(key, _DOCUMENT + encode_document(result.document))
        elif result.failure is not None and result.failure not in _NOT_KEPT:
            kept = _Failure(result.failure.value, result.detail, result.format)
            self._blobs.put(key, _FAILURE + msgspec.json.encode(kept))
        else:
            stored = False
        return replace(
            node,
            parse_key=key,
            stored=stored,
            waiting=result.waiting,
            parsed=result.document,
            failure=result.failure,
            reason=result.detail,
            format=result.format,
            seconds=result.seconds,
            peak_mb=result.peak_mb,
            fresh=True,
            unlocked=_how_unlocked(result) or node.unlocked,
        )

    def _unlocked(self, tree: ParsedNode, path: Path, unfolding: Unfolding) -> ParsedNode | None:
        """The parse of what a locked file holds, where somebody opens it."""
        failure = _lock_of(tree.result)
        if failure is None or self._unlocker is None:
            return None
        target = path.with_name(f"{path.name}-unlocked")
        how = self._unlocker.open(path, failure, target)
        if not how:
            return None
        opened = unfolding.parse_again(tree, target)
        target.unlink()
        document = opened.result.document
        if document is None:
            return None
        marked = replace(document, properties={**document.properties, UNLOCKED: how})
        return replace(opened, result=replace(opened.result, document=marked))

    def _children(self, node: Node) -> Iterator[tuple[Child, Node]]:
        if node.parsed is None:
            return
        turns: Counter[str] = Counter()
        for ordinal, child in enumerate(node.parsed.children):
            below = Node(
                document_id=child_id(node.document_id, child.name, turns[child.name]),
                parent_id=node.document_id,
                name=_name(child.name),
                member_path=f"{node.member_path}!/{child.name}" if node.member_path else child.name,
                ordinal=ordinal,
                size=child.size,
                content_sha256=child.sha256,
                within=(*node.within, node.content_sha256),
                unlocked=node.unlocked,
            )
            turns[child.name] += 1
            if child.failure:
                failure = FailureClass(child.failure)
                below = replace(below, failure=failure, reason=child.detail)
            elif child.sha256 in below.within:
                failure = FailureClass.ARCHIVE_BOMB
                below = replace(below, failure=failure, reason="contains itself")
            elif _is_logo(child):
                below = replace(below, reason=SkipReason.INLINE_IMAGE)
            yield child, below

    def _listed(self, item: ItemRecord) -> SourceItem:
        return SourceItem(
            source=item.source,
            object_id=item.object_id,
            path=item.path,
            locator=item.locator,
            size=item.size,
            modified_ns=item.modified_ns,
            access_tag=self._tag(item.access_tag),
        )

    def _tag(self, tag: str) -> str:
        """What of the tag must still hold: all of it, all but an unreliable change time, or nothing."""
        if self._same_access:
            return tag
        return tag.rpartition(":")[0] if self._same_owner else ""

    def _fetch(self, item: ItemRecord, target: Path) -> tuple[str, int]:
        digest = hashlib.sha256()
        size = 0
        with self._source.fetch(self._listed(item)) as path:
            try:
                with path.open("rb") as file, target.open("wb") as copy:
                    while block := file.read(_BLOCK):
                        digest.update(block)
                        copy.write(block)
                        size += len(block)
            except OSError as problem:
                raise ItemBusyError(f"cannot be read ({problem.strerror})") from problem
        return digest.hexdigest(), size


def _lock_of(result: ParseResult) -> FailureClass | None:
    """What keeps a file closed; for an archive, what keeps its members closed."""
    if result.document is None:
        return result.failure
    locked = any(
        c.failure == FailureClass.ENCRYPTED and not c.sha256 for c in result.document.children
    )
    return FailureClass.ENCRYPTED if locked else None


def _how_unlocked(result: ParseResult) -> str:
    return result.document.properties.get(UNLOCKED, "") if result.document is not None else ""


def stored_document(blobs: BlobStore, key: str) -> ParsedDocument | None:
    """What was parsed and stored under a key, or None where that is missing, damaged, or of another release."""
    data = blobs.get(key) if key else None
    if data is None or data[:1] != _DOCUMENT:
        return None
    try:
        return decode_document(data[1:])
    except CodecError:
        return None


def _name(path: str) -> str:
    return path.rpartition("/")[2] or path


def _is_logo(child: Child) -> bool:
    small = child.size <= _INLINE_IMAGE and child.name.lower().endswith(_IMAGE_ENDINGS)
    return child.relation is ChildRelation.INLINE and small
