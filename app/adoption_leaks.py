"""A search for leaks before going live: random people, words of documents that they may not read, and the stored lists read anew.

Whether a document may be shown is worked out here a second time, from the catalog's rows and by another way than
:mod:`acl_sync.access` takes: document by document upwards, no cache, no scope set. Nothing of the filter is asked.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.errors import UnknownReaderError
from contracts.search import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord
    from contracts.access import AccessScope, Reader
    from contracts.search import Hit

__all__ = ["LeakTest", "look_for_leaks", "may_read"]

_WORD = re.compile(r"[^\W_]{2,}")
_WORDS = 4
_TOP = 50
_POOL = 2000
"""Documents that questions are made of."""


@dataclass(slots=True)
class LeakTest:
    """What was asked, and what came.

    Attributes:
        people: Who asked.
        searches: How many searches were made.
        aimed: Those made of the name of a document that the asker may not read.
        passages: How many passages came back; each was checked.
        leaks: ``reader: path`` of those that the stored lists do not allow.
    """

    people: list[str] = field(default_factory=list)
    searches: int = 0
    aimed: int = 0
    passages: int = 0
    leaks: list[str] = field(default_factory=list)


def may_read(
    document: DocumentRecord | None,
    scopes: Mapping[str, AccessScope],
    principals: Iterable[str],
    hidden: frozenset[str],
) -> bool:
    """Whether the stored lists let somebody read a document (MS-DTYP 2.5.3.2: the first entry that names one decides).

    Args:
        document: As the catalog knows it; None: it does not.
        scopes: All stored lists, by id.
        principals: Whom entries may name the reader by.
        hidden: Documents that nobody sees for now.
    """
    if document is None or document.state != "live" or document.document_id in hidden:
        return False
    own = set(principals)
    at: str | None = document.scope_id
    steps = 0
    while at is not None:
        scope = scopes.get(at)
        steps += 1
        if scope is None or not scope.readable or steps > len(scopes):
            return False
        for gate in scope.gates:
            said = [entry.effect.value for entry in gate.entries if entry.principal in own]
            if said[:1] != ["allow"]:
                return False
        at = scope.parent_id
    return True


def look_for_leaks(  # noqa: PLR0913  what the test stands on, each once
    catalog: Catalog,
    search: Callable[[SearchRequest], Sequence[Hit]],
    resolve: Callable[[str], Reader],
    names: Sequence[str],
    *,
    people: int,
    searches: int,
    seed: int,
) -> LeakTest:
    """Ask as random people, mostly for what they may not read, and check every passage that comes back.

    Args:
        catalog: Stored lists and documents.
        search: As the installation searches.
        resolve: Whom a directory takes a name for.
        names: Of those who may be asked as.
        people: How many of them.
        searches: How many searches each makes.
        seed: Of the chance.
    """
    chance = random.Random(seed)  # noqa: S311  a sample, no secret
    scopes = {scope.scope_id: scope for scope in catalog.scopes.all()}
    hidden = catalog.overlay.all()
    pool = _sampled(catalog, chance)
    found = LeakTest()
    for name in chance.sample(sorted(set(names)), len(set(names))):
        if len(found.people) >= people or not pool:
            break
        try:
            principals = resolve(name).principals
        except UnknownReaderError:
            continue
        found.people.append(name)
        closed = [d for d in pool if not may_read(d, scopes, principals, hidden)]
        for number in range(searches):
            # three of four for what is closed to them; the others show that anything is found at all
            aimed = bool(closed) and number % 4 != 0
            document = chance.choice(closed if aimed else pool)
            hits = search(SearchRequest(query=_words(document, chance), reader=name, top=_TOP))
            found.searches += 1
            found.aimed += aimed
            found.passages += len(hits)
            known = catalog.documents.get_many(hit.document_id for hit in hits)
            found.leaks += [
                f"{name}: {hit.path}"
                for hit in hits
                if not may_read(known.get(hit.document_id), scopes, principals, hidden)
            ]
    return found


def _sampled(catalog: Catalog, chance: random.Random) -> list[DocumentRecord]:
    """Live documents by chance, at most so many, in one pass (Vitter's algorithm R, 1985)."""
    kept: list[DocumentRecord] = []
    seen = 0
    for document in catalog.documents.stream():
        if document.state != "live":
            continue
        seen += 1
        if len(kept) < _POOL:
            kept.append(document)
        elif (place := chance.randrange(seen)) < _POOL:
            kept[place] = document
    return kept


def _words(document: DocumentRecord, chance: random.Random) -> str:
    """Some words of a document's path, its name first."""
    words = [w for part in reversed(document.path.split("/")) for w in _WORD.findall(part)]
    kept = words[: 2 * _WORDS]
    return " ".join(chance.sample(kept, min(_WORDS, len(kept)))) or document.path
