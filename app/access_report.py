"""What a source's access lists look like: what is open to everyone, closed to all, orphaned, or unlike its folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acl_sync.access import passes_gate, readable_scopes
from acl_sync.who import is_everyone
from contracts.access import Effect, plain_scope_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from acl_sync.who import Who
    from catalog.catalog import Catalog
    from contracts.access import AccessEntry, AccessScope, Principal

__all__ = ["FINDINGS", "Finding", "SourceReport", "named_in", "report_on"]

FINDINGS = ("open_to_everyone", "nobody", "orphans", "broken_inheritance", "unreadable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One row.

    Attributes:
        place: Folder, or a document of those that share the list; for an orphan the principal.
        documents: Documents that it decides for.
        detail: What there is to know besides.
    """

    place: str
    documents: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """One source.

    Attributes:
        source: Its name.
        documents: Its live documents.
        findings: Rows by kind (``FINDINGS``), those that decide for most documents first.
        totals: Documents by kind, each counted once.
        asked: Whether every directory answered; else nothing is called an orphan.
    """

    source: str
    documents: int
    findings: Mapping[str, tuple[Finding, ...]]
    totals: Mapping[str, int]
    asked: bool = True


@dataclass
class _Lists:
    """A source's scopes with the documents that they decide for."""

    scopes: dict[str, AccessScope]
    counts: dict[str, int]
    who: Who
    examples: dict[str, str] = field(default_factory=dict)

    def place(self, scope: AccessScope) -> str:
        """Where the list is: a folder, or a document in it."""
        return self.examples.get(scope.scope_id, scope.key) if "//" in scope.key else scope.key

    def rows(self, scope_ids: Iterable[str], details: Mapping[str, str]) -> tuple[Finding, ...]:
        found = [
            Finding(
                place=self.place(self.scopes[key]),
                documents=self.counts.get(key, 0),
                detail=details.get(key, ""),
            )
            for key in scope_ids
        ]
        return tuple(sorted(found, key=lambda row: (-row.documents, row.place)))

    def way(self, scope_id: str) -> list[AccessScope]:
        """A scope and those above it."""
        found: list[AccessScope] = []
        at: str | None = scope_id
        while at is not None and at in self.scopes and self.scopes[at] not in found:
            found.append(self.scopes[at])
            at = found[-1].parent_id
        return found


def named_in(scopes: Iterable[AccessScope]) -> frozenset[Principal]:
    """Everybody whom the entries of these scopes name."""
    return frozenset(e.principal for s in scopes for gate in s.gates for e in gate.entries)


def report_on(catalog: Catalog, source: str, who: Who) -> SourceReport:
    """Look through the lists of a source as they were last copied.

    Args:
        catalog: Where they are.
        source: Name of the source.
        who: What the directories say of those whom the lists name.
    """
    scopes = {scope.scope_id: scope for scope in catalog.scopes.all(source)}
    counts: dict[str, int] = {}
    for scope_id, count in catalog.scopes.documents_by_scope(source).items():
        plain = plain_scope_id(scope_id)
        counts[plain] = counts.get(plain, 0) + count
    lists = _Lists(scopes, counts, who, _examples(catalog, scopes, counts))
    everyone = frozenset(filter(is_everyone, named_in(scopes.values())))
    holding = [key for key in scopes if counts.get(key)]
    open_to_all = readable_scopes(scopes.values(), everyone) & set(holding)
    closed = {key: why for key in holding if (why := _closed(lists, key, everyone))}
    unlike = {key: why for key, scope in scopes.items() if (why := _unlike(lists, scope))}
    unreadable = [key for key, scope in scopes.items() if not scope.readable]
    unknown = sum(count for key, count in counts.items() if key not in scopes)
    nobody = lists.rows(closed, closed)
    if unknown:
        nobody += (Finding(place="", documents=unknown, detail="목록을 모름 (no known list)"),)
    findings = {
        "open_to_everyone": lists.rows(open_to_all, {}),
        "nobody": nobody,
        "orphans": _orphans(lists),
        "broken_inheritance": lists.rows(unlike, unlike),
        "unreadable": lists.rows(unreadable, {}),
    }
    totals = {kind: sum(row.documents for row in rows) for kind, rows in findings.items()}
    orphaned = (key for key in holding if named_in([scopes[key]]) & who.orphans)
    totals["orphans"] = sum(counts[key] for key in orphaned)
    return SourceReport(
        source=source,
        documents=sum(counts.values()),
        findings=findings,
        totals=totals,
        asked=not who.unasked,
    )


def _closed(lists: _Lists, scope_id: str, everyone: frozenset[Principal]) -> str:
    """Why surely nobody reads what a scope decides for; "" where somebody may.

    Some reader passes a gate where an entry allows somebody known whom no earlier one denies. Different people may pass
    different gates, so what is called closed is closed, but not everything that is closed is found.
    """
    for scope in lists.way(scope_id):
        if not scope.readable:
            return f"읽지 못한 목록 (unreadable list): {scope.key}"
        for gate in scope.gates:
            allowed = {e.principal for e in gate.entries if e.effect is Effect.ALLOW}
            if not allowed:
                return f"{scope.key} · {gate.name}: 허용하는 항목 없음 (nobody is allowed)"
            known = allowed - lists.who.orphans
            if not known:
                return f"{scope.key} · {gate.name}: 아는 사람 없음 (allows orphans only)"
            if not any(passes_gate(gate, frozenset({p}) | everyone) for p in known):
                return f"{scope.key} · {gate.name}: 모두 거부 (everybody is denied)"
    return ""


def _orphans(lists: _Lists) -> tuple[Finding, ...]:
    holders: dict[Principal, list[AccessScope]] = {}
    for scope in lists.scopes.values():
        for principal in named_in([scope]) & lists.who.orphans:
            holders.setdefault(principal, []).append(scope)
    rows = [
        Finding(
            place=principal,
            documents=sum(lists.counts.get(scope.scope_id, 0) for scope in scopes),
            detail=f"목록 {len(scopes)}개 (lists), {lists.place(scopes[0])}",
        )
        for principal, scopes in holders.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.documents, row.place)))


def _unlike(lists: _Lists, scope: AccessScope) -> str:
    """In what a file's or folder's list differs from that of the folder that holds it; "" where it does not."""
    folder, found, _ = scope.key.partition("//")
    above = folder if found else scope.key.rpartition("/")[0]
    holder = lists.scopes.get(f"{scope.source}:{above or '/'}")
    if holder is None or holder is scope or not (holder.readable and scope.readable):
        return ""
    own, theirs = _entries(scope), _entries(holder)
    if own is None or theirs is None or own == theirs:
        return ""
    more = [e for e in own if e not in theirs]
    less = [e for e in theirs if e not in own]
    told = [f"+{effect} {principal}" for effect, principal in more]
    told += [f"-{effect} {principal}" for effect, principal in less]
    return ", ".join(told) or "순서 (order)"


def _entries(scope: AccessScope) -> list[tuple[str, Principal]] | None:
    """The entries of an object's own list; None where it is that of a share, which files do not get theirs from."""
    if not scope.gates or scope.gates[-1].name.startswith("share"):
        return None
    return [_plain(entry) for entry in scope.gates[-1].entries]


def _plain(entry: AccessEntry) -> tuple[str, Principal]:
    return entry.effect.value, entry.principal


def _examples(
    catalog: Catalog, scopes: Mapping[str, AccessScope], counts: Mapping[str, int]
) -> dict[str, str]:
    """A document of each scope that is of documents, not of a folder."""
    wanted = [key for key, scope in scopes.items() if "//" in scope.key and counts.get(key)]
    found: dict[str, str] = {}
    for document in catalog.documents.get_many(catalog.scopes.document_ids_in(wanted)).values():
        key = plain_scope_id(document.scope_id)
        found[key] = min(found.get(key, document.path), document.path)
    return found
