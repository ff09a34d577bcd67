"""Make the index anew beside the one that serves, from stored parses, and put it in its place.

No source is read and nothing is parsed. Searches, ingests and permission runs go on meanwhile, on the index that
serves; what they change is noted in the catalog (:mod:`catalog.changes`) and done again in the new one:

1. ``begin``: follow changes; make an empty build, or take up the one that an interrupted rebuild has left;
2. ``fill``: publish every document, in the order of their ids, noting how far it is;
3. ``catch_up``: publish again what has changed since the beginning, until only a little is left;
4. ``switch``: in one writing transaction of the catalog, so that nobody publishes meanwhile: the last changes, the
   configuration that items count as processed under, and the switch itself.

Killed before the switch, the old index serves on and the next rebuild of the same configuration goes on where this
one was; killed between the switch and the commit, :func:`complete` makes up for it when the stores are next opened.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from catalog.statements import batches
from catalog.times import utc_now
from contracts.errors import IndexUnavailableError, LeaseLostError, SeogaError
from ingest.lease import beating, end_run
from ingest.stored import StoredDocuments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalog.catalog import Catalog
    from contracts.index_builds import IndexBuild, IndexBuilds
    from contracts.ports import IndexBackend
    from ingest.kit import Kit
    from ingest.stored import Made

__all__ = ["Rebuild", "RebuildSummary", "Target", "cancel", "complete", "tidy", "under_way"]

_KEY = "index.rebuild"
_KIND = "rebuild"
_GROUP = 32
"""Documents between two notes of how far it is."""
_FEW = 16
"""Changed documents that may be left for the last step, which holds up all writers."""
_GRACE_SECONDS = 5.0
"""How long searches that had begun may go on in the old build before it is removed."""
_RECOUNT = 500


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A rebuild that is under way, as the catalog keeps it.

    Attributes:
        build: Name of the new build.
        target: Configuration that it is made for (:func:`ingest.kit.configuration`).
        before: The same with the embedder and analyzer of the index that served; "" where that could not be read.
        cursor: Id of the last document that is in it.
        done: Documents so far.
        started_at: UTC, ISO 8601.
    """

    build: str
    target: str
    before: str
    cursor: str = ""
    done: int = 0
    started_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What the new build shall be made with.

    Attributes:
        dimension: Length of a vector.
        fingerprint: Of vectors and terms, ``<embedder>|<analyzer>``.
        configured: The whole configuration with such a fingerprint (:func:`ingest.kit.configuration`).
        note: Left with the build.
    """

    dimension: int
    fingerprint: str
    configured: Callable[[str], str]
    note: str = ""


@dataclass(slots=True)
class RebuildSummary:
    """What a rebuild did.

    Attributes:
        build: Name of the build that serves now.
        before: Name of the one that served before, or "".
        fingerprint: What vectors and terms are made with now.
        resumed: It went on where an interrupted one was.
        counts: ``documents``, ``chunks``, ``embedded``, ``changed`` (done again), ``items`` (that need no further
            processing).
        missing: Documents without a usable parse: not in the index until the next ingest has read them.
        seconds: Wall time by stage.
    """

    build: str = ""
    before: str = ""
    fingerprint: str = ""
    resumed: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    missing: set[str] = field(default_factory=set)
    seconds: dict[str, float] = field(default_factory=dict)


class Rebuild:
    """One rebuild.

    Args:
        catalog: The truth about documents, and about how far the rebuild is.
        builds: The indexes side by side.
        target: What the new one is made with.
        kit_on: Puts a kit together on an index; its embedder and analyzer are those of the target.
        progress: Called with the documents done and the documents there are.
    """

    def __init__(
        self,
        catalog: Catalog,
        builds: IndexBuilds,
        target: Target,
        kit_on: Callable[[IndexBackend], Kit],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._catalog = catalog
        self._builds = builds
        self._target = target
        self._kit_on = kit_on
        self._progress = progress or (lambda _done, _total: None)

    def run(self, *, anew: bool = False, grace: float | None = None) -> RebuildSummary:
        """Rebuild, to the end.

        Args:
            anew: Do not take up what an interrupted rebuild has left.
            grace: Seconds that the old build stays after the switch; None: 5.

        Raises:
            LeaseLostError: another process rebuilds the index.
        """
        catalog, target = self._catalog, self._target
        summary = RebuildSummary(fingerprint=target.fingerprint)
        done = complete(catalog, self._builds)
        if done is not None and done.target == target.configured(target.fingerprint) and not anew:
            summary.build, summary.resumed = done.build, True
            with contextlib.closing(self._builds.open(done.build)) as index:
                _recount(catalog, index)
            tidy(catalog, self._builds)
            return summary
        run = catalog.runs.start(_KIND, "")
        try:
            with beating(catalog, run.run_id):
                self._run(summary, run.run_id, anew=anew)
        except BaseException as problem:
            said = str(problem) if isinstance(problem, SeogaError) else type(problem).__name__
            state = "failed" if isinstance(problem, SeogaError) else "stopped"
            end_run(catalog, run.run_id, state, counts=summary.counts, message=said)
            raise
        catalog.runs.finish(run.run_id, counts=summary.counts)
        if summary.before:
            time.sleep(_GRACE_SECONDS if grace is None else grace)
            with contextlib.suppress(IndexUnavailableError):  # ``tidy`` tries again
                self._builds.remove(summary.before)
        return summary

    def _run(self, summary: RebuildSummary, run_id: str, *, anew: bool) -> None:
        catalog, builds = self._catalog, self._builds
        serving = builds.serving()
        with contextlib.ExitStack() as stack:
            also = None
            if serving is not None and serving.fingerprint:
                also = builds.open(serving.name)
                stack.callback(also.close)
            record = self._begin(serving, summary, anew=anew)
            index = builds.open(record.build)
            stack.callback(index.close)
            kit = self._kit_on(index)
            stored = StoredDocuments(kit, also)
            summary.build = record.build
            with _timed(summary, "fill"):
                record = self._fill(record, stored, summary)
            with _timed(summary, "catch_up"):
                self._catch_up(stored, summary)
            with _timed(summary, "switch"):
                while not self._switch(record, stored, index, summary, run_id):
                    self._catch_up(stored, summary)
            summary.before = serving.name if serving is not None else ""
            with _timed(summary, "recount"):
                _recount(catalog, index)

    # -- stages ------------------------------------------------------------------------------------

    def _begin(self, serving: IndexBuild | None, summary: RebuildSummary, *, anew: bool) -> Record:
        catalog, builds, target = self._catalog, self._builds, self._target
        wanted = target.configured(target.fingerprint)
        left = under_way(catalog)
        if left is not None and left.target == wanted and not anew:
            known = {build.name: build for build in builds.all()}
            build = known.get(left.build)
            if build is not None and build.note == target.note and catalog.changes.followed():
                summary.resumed = True
                return left
        _remove_others(builds)
        catalog.changes.follow()
        build = builds.create(target.dimension, target.fingerprint, target.note)
        readable = serving is not None and serving.fingerprint
        record = Record(
            build=build.name,
            target=wanted,
            before=target.configured(serving.fingerprint) if serving and readable else "",
            started_at=utc_now(),
        )
        _keep(catalog, record)
        return record

    def _fill(self, record: Record, stored: StoredDocuments, summary: RebuildSummary) -> Record:
        catalog = self._catalog
        total = catalog.documents.count()
        self._progress(record.done, total)
        stream = catalog.documents.stream(after=record.cursor)
        for group in batches((document.document_id for document in stream), _GROUP):
            made = stored.publish(group)
            self._note(group, made, summary)
            record = msgspec.structs.replace(
                record, cursor=group[-1], done=record.done + made.documents
            )
            _keep(catalog, record)
            self._progress(record.done, max(total, record.done))
        return record

    def _catch_up(self, stored: StoredDocuments, summary: RebuildSummary) -> None:
        """Do again what has changed, until few are left."""
        while self._catalog.changes.count() > _FEW:
            self._follow(stored, summary, _GROUP)

    def _follow(self, stored: StoredDocuments, summary: RebuildSummary, limit: int) -> None:
        changes = self._catalog.changes
        taken = changes.take(limit)
        for content, do in ((True, stored.publish), (False, stored.update_rows)):
            ids = [change.document_id for change in taken if change.content is content]
            made = do(ids)
            stored.delete(made.gone)
            self._note(ids, made, summary)
        changes.done(change.seq for change in taken)
        summary.counts["changed"] += len(taken)

    def _switch(
        self,
        record: Record,
        stored: StoredDocuments,
        index: IndexBackend,
        summary: RebuildSummary,
        run_id: str,
    ) -> bool:
        """The last step; False where too much has changed again."""
        catalog = self._catalog
        index.refresh()
        with catalog.transaction():  # nobody publishes, and nothing changes, until it ends
            catalog.runs.heartbeat(run_id)  # raises where another rebuild has taken over
            if catalog.changes.count() > _FEW:
                return False
            self._follow(stored, summary, _FEW)
            index.refresh()
            summary.counts["items"] = _settle(catalog, record)
            self._builds.switch(record.build)
        return True

    def _note(self, ids: list[str], made: Made, summary: RebuildSummary) -> None:
        summary.counts["documents"] += made.documents
        summary.counts["chunks"] += made.chunks
        summary.counts["embedded"] += made.embedded
        summary.missing.difference_update(ids)
        summary.missing.update(document.document_id for document in made.missing)
        items = self._catalog.items.get_many({d.item_id for d in made.missing})
        for item in items.values():  # the next run reads them again
            self._catalog.items.set_processed(item.item_id, item.content_sha256, "")


# -- what a rebuild leaves in the catalog ------------------------------------------------------------


def under_way(catalog: Catalog) -> Record | None:
    """The rebuild that has begun and not ended, running or interrupted."""
    kept = catalog.meta.get(_KEY)
    try:
        return msgspec.json.decode(kept, type=Record) if kept else None
    except msgspec.DecodeError:
        return None  # of another release: begun anew


def complete(catalog: Catalog, builds: IndexBuilds) -> Record | None:
    """Commit what a rebuild left open that died between the switch and its commit.

    Returns:
        That rebuild, or None where there was none.
    """
    record = under_way(catalog)
    serving = builds.serving() if record is not None else None
    if record is None or serving is None or serving.name != record.build:
        return None
    with catalog.transaction():
        if under_way(catalog) == record:
            _settle(catalog, record)
    return record


def cancel(catalog: Catalog, builds: IndexBuilds) -> bool:
    """Give up an interrupted rebuild: its build goes, the index that serves stays.

    Returns:
        Whether there was one.

    Raises:
        LeaseLostError: it is running.
    """
    complete(catalog, builds)
    run = catalog.runs.start(_KIND, "")
    try:
        left = under_way(catalog)
        with catalog.transaction():
            catalog.meta.delete(_KEY)
            catalog.changes.forget()
        _remove_others(builds)
    finally:
        catalog.runs.finish(run.run_id)
    return left is not None


def tidy(catalog: Catalog, builds: IndexBuilds) -> None:
    """Remove what replaced builds have left, where no rebuild is under way."""
    complete(catalog, builds)
    if under_way(catalog) is not None:
        return
    with contextlib.suppress(LeaseLostError):
        run = catalog.runs.start(_KIND, "")
        try:
            catalog.changes.forget()
            _remove_others(builds)
        finally:
            catalog.runs.finish(run.run_id)


def _settle(catalog: Catalog, record: Record) -> int:
    """Items that were processed to the end under the old configuration are so under the new one."""
    items = 0
    if record.before and record.before != record.target:
        items = catalog.items.renew_processed(record.before, record.target)
        catalog.versions.renew_config(record.before, record.target)
    catalog.meta.delete(_KEY)
    catalog.changes.forget()
    return items


def _keep(catalog: Catalog, record: Record) -> None:
    catalog.meta.set(_KEY, msgspec.json.encode(record).decode())


def _recount(catalog: Catalog, index: IndexBackend) -> None:
    """The catalog's numbers of passages, which another embedder may have cut differently."""
    for rows in batches(index.inventory(), _RECOUNT):
        versions = catalog.versions.get_many(row.version_id for row in rows)
        with catalog.transaction():
            for row in rows:
                version = versions.get(row.version_id)
                if version is not None and version.chunks != row.chunks:
                    catalog.versions.set_chunks(row.version_id, row.chunks)


# -- builds ------------------------------------------------------------------------------------------


def _remove_others(builds: IndexBuilds) -> None:
    serving = builds.serving()
    for build in builds.all():
        if serving is None or build.name != serving.name:
            builds.remove(build.name)


@contextlib.contextmanager
def _timed(summary: RebuildSummary, stage: str) -> Iterator[None]:
    started = time.monotonic()
    try:
        yield
    finally:
        spent = time.monotonic() - started
        summary.seconds[stage] = summary.seconds.get(stage, 0.0) + spent
