"""A file and all that it contains, each parsed on its own, under one budget for the outermost file.

Two ways to use it. Where every child becomes a document of its own with its own outcome (ingest), step by step::

    unfolding = Unfolding(pool, spool)
    top = unfolding.parse_file(path, name)
    for child in children_of(top):
        node = unfolding.parse_child(top, child)      # and so on, with node as the next parent

Where the whole is wanted at once (``seoga parse``)::

    tree = Unfolding(pool, spool).parse_tree(path, name)
    for node in tree.walk(): ...
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from contracts.documents import Child, ChildRelation
from contracts.failures import FailureClass
from contracts.parsing import ContainerBudget
from parsers.context import full_budget
from parsers.pool import ParseResult
from parsers.slices import LocalPages, SlicedParses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from parsers.pool import ParsePool

__all__ = ["ParsedNode", "Unfolding", "children_of", "children_of_result"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedNode:
    """One file of a tree.

    Attributes:
        name: Its own name.
        member_path: Names from the outermost file's child down to this one; () for the outermost file.
        result: What became of it.
        child: How its container describes it; None for the outermost file.
        ancestors: SHA-256 of its own bytes and of every container around it, where known.
        children: Its parsed children, in its document's order; () where nobody parsed them yet.
    """

    name: str
    result: ParseResult
    member_path: tuple[str, ...] = ()
    child: Child | None = None
    ancestors: tuple[str, ...] = ()
    children: tuple[ParsedNode, ...] = field(default=())

    def walk(self) -> Iterator[ParsedNode]:
        """This node, then every node below it, containers before their members."""
        yield self
        for child in self.children:
            yield from child.walk()


class Unfolding:
    """The parses of one outermost file and everything within it. Threads may share it.

    Members and bytes count over all levels together; children parsed at the same time may each use
    what was left when they began.

    Args:
        pool: Where files are parsed.
        spool: Folder where the children's bytes lie under their SHA-256.
        members_used: Members that an earlier, interrupted unfolding of the same file spooled.
        bytes_used: Their bytes.
        sliced: Parses files whose recognition takes long in slices; None: with pages beside the children.
    """

    def __init__(
        self,
        pool: ParsePool,
        spool: Path,
        *,
        members_used: int = 0,
        bytes_used: int = 0,
        sliced: SlicedParses | None = None,
    ) -> None:
        self._sliced = sliced or SlicedParses(pool, LocalPages(spool / "pages"))
        self._spool = spool
        budget = full_budget(pool.limits)
        self._depth = budget.depth
        self._members = budget.members - members_used
        self._bytes = budget.total_bytes - bytes_used
        self._lock = threading.Lock()

    @property
    def spool(self) -> Path:
        """Where the children's bytes and the databases of stored tables lie."""
        return self._spool

    def parse_file(self, path: Path, name: str, sha256: str = "") -> ParsedNode:
        """Parse the outermost file, not its children.

        Args:
            path: The file.
            name: The name that people know it by.
            sha256: Of its bytes, where known; then a copy of it within itself is not unfolded even once.
        """
        result = self._sliced.parse(path, name, self._spool, self._budget(0), sha256 or "outermost")
        self.charge(children_of_result(result))
        return ParsedNode(name=name, result=result, ancestors=(sha256,) if sha256 else ())

    def parse_child(self, parent: ParsedNode, child: Child) -> ParsedNode:
        """Parse one child of a node, not the child's own children.

        A child that could not be taken out fails with its container's reason; one that is identical to
        a container around it, as ``archive_bomb``.
        """
        path = (*parent.member_path, child.name)
        node = ParsedNode(
            name=child.name.rpartition("/")[2],
            member_path=path,
            child=child,
            ancestors=(*parent.ancestors, child.sha256),
            result=_refused(parent, child) or self._parse(child, len(path)),
        )
        self.charge(children_of(node))
        return node

    def parse_again(self, node: ParsedNode, path: Path) -> ParsedNode:
        """Parse another file in a node's place: what it holds once its lock was opened."""
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        budget = self._budget(len(node.member_path))
        result = self._sliced.parse(path, node.name, self._spool, budget, sha256)
        self.charge(children_of_result(result))
        return replace(node, result=result)

    def parse_tree(self, path: Path, name: str, sha256: str = "") -> ParsedNode:
        """Parse a file and everything within it."""
        top = self.parse_file(path, name, sha256)
        if children_of(top) and not top.ancestors:
            with path.open("rb") as file:
                top = replace(top, ancestors=(hashlib.file_digest(file, "sha256").hexdigest(),))
        return self._below(top)

    def charge(self, children: Iterable[Child]) -> None:
        """Count children that were taken out of this file, also by a parse whose result was stored."""
        taken = [child for child in children if child.sha256]
        with self._lock:
            self._members -= sum(child.relation is not ChildRelation.MESSAGE for child in taken)
            self._bytes -= sum(child.size for child in taken)

    def _below(self, node: ParsedNode) -> ParsedNode:
        children = children_of(node)
        if not children:
            return node
        return replace(
            node,
            children=tuple(self._below(self.parse_child(node, child)) for child in children),
        )

    def _parse(self, child: Child, level: int) -> ParseResult:
        name = child.name.rpartition("/")[2]
        path = self._spool / child.sha256
        return self._sliced.parse(path, name, self._spool, self._budget(level), child.sha256)

    def _budget(self, level: int) -> ContainerBudget:
        with self._lock:
            return ContainerBudget(
                depth=self._depth - level,
                members=max(0, self._members),
                total_bytes=max(0, self._bytes),
            )


def children_of(node: ParsedNode) -> tuple[Child, ...]:
    """The children that a node's document names, parsed or not."""
    return children_of_result(node.result)


def children_of_result(result: ParseResult) -> tuple[Child, ...]:
    """The children that a result's document names; () for a failure."""
    return result.document.children if result.document is not None else ()


def _refused(parent: ParsedNode, child: Child) -> ParseResult | None:
    if child.failure or not child.sha256:
        failure = FailureClass(child.failure) if child.failure else FailureClass.CORRUPT
        return ParseResult(failure=failure, detail=child.detail)
    if child.sha256 in parent.ancestors:
        return ParseResult(failure=FailureClass.ARCHIVE_BOMB, detail="contains itself")
    return None
