"""Which adapters serve: the one place that picks them."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.people import PeopleNow, unknown_names
from app.tools import open_tools
from contracts.errors import ConfigError, SeogaError
from contracts.settings import CatalogSettings, Settings, SourceSettings

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from acl_sync.view import CatalogAccess
    from app.controls import Controls
    from catalog.catalog import Catalog
    from contracts.ports import BlobStore, IndexBackend
    from contracts.sources import PermissionReader
    from ingest.kit import Kit
    from ingest.rebuild import Rebuild
    from ingest.runs import SourceRun
    from search.answers.service import Answerer
    from search.dictionary import Dictionary
    from search.service import Searcher

__all__ = [
    "SearchParts",
    "answerer_of",
    "open_access",
    "open_blobs",
    "open_catalog",
    "open_kit",
    "open_kit_on",
    "open_search_parts",
    "open_searcher",
    "open_tools",
    "permission_reader",
    "source_run",
    "source_settings",
]


_SPOOL_SECONDS = 24 * 3600


@contextlib.contextmanager
def open_catalog(settings: Settings) -> Iterator[Catalog]:
    """The catalog, migrated; the sources of ``seoga.toml`` are in it."""
    from catalog.catalog import Catalog
    from catalog.records import SourceRecord

    # what lies there is the text of documents: nobody else's business
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigError(
            f"{settings.home}: {problem.strerror}",
            advice="SEOGA_HOME 을 쓸 수 있는 로컬 폴더로 (set it to a local folder that can be written)",
        ) from problem
    with Catalog.open(_catalog_url(settings.catalog), settings.home) as catalog:
        for source in settings.sources:
            config = source.model_dump(mode="json")
            record = SourceRecord(name=source.name, kind=source.kind, config=config)
            known = catalog.sources.get(source.name)
            if known is None or known.config != config:
                catalog.sources.upsert(record)
        yield catalog


def _catalog_url(settings: CatalogSettings) -> str:
    """The catalog's address, with the password in it."""
    if settings.password is None or not settings.url.startswith("postgres"):
        return settings.url
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        address = make_url(settings.url)
    except ArgumentError:  # what is wrong with it is told where it is opened
        return settings.url
    secret = settings.password.get_secret_value()
    return address.set(password=secret).render_as_string(hide_password=False)


def source_settings(catalog: Catalog, name: str) -> SourceSettings:
    """Settings of a known source.

    Raises:
        ConfigError: no source of that name.
    """
    record = catalog.sources.get(name)
    if record is None:
        known = ", ".join(s.name for s in catalog.sources.list()) or "없음 (none)"
        raise ConfigError(f"{name}: 그런 소스가 없습니다 (no such source)", advice=known)
    return SourceSettings.model_validate(dict(record.config))


@contextlib.contextmanager
def open_kit(settings: Settings, reload: Callable[[], Settings] | None = None) -> Iterator[Kit]:
    """Everything that a run needs; index and catalog are brought together first.

    Args:
        settings: As they were read when the process began.
        reload: Reads them again, for a process that outlives a rebuild of the index.
    """
    from ingest.drain import reconcile

    with open_catalog(settings) as catalog, open_kit_on(settings, catalog, reload) as kit:
        reconcile(catalog, kit.index)
        yield kit


@contextlib.contextmanager
def open_kit_on(
    settings: Settings, catalog: Catalog, reload: Callable[[], Settings] | None = None
) -> Iterator[Kit]:
    """As ``open_kit``, over a catalog that is open already; index and catalog are left as they are."""
    with contextlib.ExitStack() as stack:
        _complete_rebuild(settings, catalog)
        embedder, analyzer, index = open_tools(settings, reload)
        stack.callback(index.close)
        make = stack.enter_context(_kits(settings, catalog))
        yield make(embedder=embedder, analyzer=analyzer, index=index)


@contextlib.contextmanager
def _kits(settings: Settings, catalog: Catalog) -> Iterator[Callable[..., Kit]]:
    """Puts kits together: what is left to say are ``embedder``, ``analyzer`` and ``index``."""
    from functools import partial

    from ingest.kit import Kit
    from ingest.unlocking import set_readers
    from metadata.enrich import EnrichRules
    from metadata.master import CodeMaster, read_code_master
    from parsers.pool import ParsePool

    master = read_code_master(settings.code_master) if settings.code_master else CodeMaster()
    spool = settings.home / "spool"
    spool.mkdir(exist_ok=True)
    _clear_spool(spool)
    set_readers(catalog, settings.unlock)
    with ParsePool(settings.parse, settings.ocr, vision=settings.vision) as pool:
        yield partial(
            Kit,
            settings=settings,
            catalog=catalog,
            blobs=open_blobs(settings),
            pool=pool,
            rules=EnrichRules(code_master=master, departments=settings.departments),
            rules_tag=_rules_tag(settings),
            spool=spool,
        )


def _complete_rebuild(settings: Settings, catalog: Catalog) -> None:
    """What a rebuild left open that died in its last step is committed."""
    from ingest.rebuild import complete, under_way
    from search.backends.registry import make_builds

    if under_way(catalog) is not None:
        with contextlib.closing(make_builds(settings.index, settings.home)) as builds:
            complete(catalog, builds)


@contextlib.contextmanager
def open_rebuild(
    configured: Settings,
    told: Settings,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Rebuild]:
    """A rebuild of the index.

    Args:
        configured: What ``seoga.toml`` and the environment say.
        told: The same, with what the command line says of embedder and tokenizer.
        progress: Called with the documents done, and those there are.
    """
    from app.tools import fingerprint_of, make_tools, note_of
    from ingest.kit import configuration
    from ingest.rebuild import Rebuild, Target
    from search.backends.registry import make_builds

    with contextlib.ExitStack() as stack:
        catalog = stack.enter_context(open_catalog(configured))
        embedder, analyzer = make_tools(told)
        builds = make_builds(told.index, told.home, told.search)
        stack.callback(builds.close)
        make = stack.enter_context(_kits(told, catalog))
        tag = _rules_tag(told)
        target = Target(
            dimension=embedder.dimension,
            fingerprint=fingerprint_of(embedder, analyzer),
            configured=lambda made_with: configuration(told, tag, made_with),
            note=note_of(configured, told),
        )

        def kit_on(index: IndexBackend) -> Kit:
            return make(embedder=embedder, analyzer=analyzer, index=index)

        yield Rebuild(catalog, builds, target, kit_on, progress)


def open_blobs(settings: Settings) -> BlobStore:
    """Where parsed documents lie."""
    from ingest.blob_registry import make_blobs

    return make_blobs(settings.blobs, settings.home)


def _clear_spool(spool: Path) -> None:
    """Remove what killed runs left behind: older than any file that a run may still be reading."""
    oldest = time.time() - _SPOOL_SECONDS
    for left in (*spool.glob("item-*"), *spool.glob("pages-*")):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < oldest:
                shutil.rmtree(left, ignore_errors=True)


def source_run(
    kit: Kit,
    settings: SourceSettings,
    progress: Callable[[str, Counter[str]], None] | None = None,
    *,
    dry_run: bool = False,
) -> SourceRun:
    """A run over one source.

    Raises:
        SeogaError: the source or its access lists cannot be read; stored as the source's alert, too. Lists that
            cannot be read let nobody through, until they can (``dry_run``: nothing is stored or changed).
    """
    from acl_sync.tracker import close_scopes
    from app.controls import check_overlaps, decide, difference
    from ingest.runs import SourceRun
    from ingest.sources.registry import make_source

    # a root that is a link shall mean one folder throughout the run
    settings = settings.resolved()
    source = make_source(settings, kit.settings.home / "listings")
    try:
        check_overlaps(kit.catalog, settings)
        source.check()
        controls = decide(kit.catalog, settings)
        try:
            permissions = permission_reader(settings, controls)
        except ConfigError as problem:
            if not dry_run:
                close_scopes(kit.catalog, settings.name)
            accept = f"일부러 바꿨으면 (if it was meant): seoga source accept {settings.name}"
            raise ConfigError(problem.message, advice=problem.advice or accept) from problem
        trust_tags = permissions.tags_tell and source.probe().change_time
    except SeogaError as problem:
        if not dry_run:
            kit.catalog.sources.set_alert(settings.name, str(problem))
        raise
    return SourceRun(
        kit,
        settings,
        source,
        permissions,
        trust_tags=trust_tags,
        progress=progress,
        notice=" / ".join(
            filter(
                None,
                (
                    difference(settings, controls),
                    unknown_names(kit.settings, kit.catalog, permissions),
                ),
            )
        ),
    )


def permission_reader(settings: SourceSettings, controls: Controls) -> PermissionReader:
    """Whoever copies the source's access lists, as it was decided."""
    from acl_sync.registry import make_permission_reader

    acl = settings.acl.model_copy(update={"kind": controls.lists})
    return make_permission_reader(settings.model_copy(update={"acl": acl}))


def open_directory(settings: Settings, catalog: Catalog) -> PeopleNow:
    """Everyone whom the configured directories know."""
    return PeopleNow(settings, catalog)


def open_access(settings: Settings, catalog: Catalog) -> CatalogAccess:
    """What a reader may see."""
    from acl_sync.view import CatalogAccess

    return CatalogAccess(catalog, open_directory(settings, catalog))


@dataclass(frozen=True, slots=True)
class SearchParts:
    """A searcher, and what it searches."""

    searcher: Searcher
    catalog: Catalog
    access: CatalogAccess

    def check_reader(self, name: str) -> None:
        """Make sure that a directory knows a reader.

        Raises:
            UnknownReaderError: none does.
        """
        self.access.filter_for(name)

    @property
    def index(self) -> IndexBackend:
        """The index that serves now, which a rebuild may have replaced since."""
        return self.searcher.index


@contextlib.contextmanager
def open_searcher(
    settings: Settings, channel: str, reload: Callable[[], Settings] | None = None
) -> Iterator[Searcher]:
    """A searcher that audits what it returns; see ``open_search_parts``."""
    with open_search_parts(settings, channel, reload) as parts:
        yield parts.searcher


@contextlib.contextmanager
def open_search_parts(
    settings: Settings,
    channel: str,
    reload: Callable[[], Settings] | None = None,
    dictionary: Callable[[], Dictionary] | None = None,
) -> Iterator[SearchParts]:
    """A searcher that audits what it returns and goes over to the new index where it is rebuilt, with its catalog.

    Args:
        settings: As they were read when the process began.
        channel: For the audit.
        reload: Reads the settings again, for a process that outlives a rebuild of the index.
        dictionary: Synonyms to search with; None: those that serve.
    """
    from app.audit import CatalogAudit
    from app.synonyms import Synonyms
    from search.reranking import make_reranker
    from search.service import Searcher
    from search.tools import SearchTools

    def renew() -> SearchTools:
        embedder, analyzer, index = open_tools(settings, reload)
        return SearchTools(index, embedder, analyzer)

    with contextlib.ExitStack() as stack:
        catalog = stack.enter_context(open_catalog(settings))
        access = open_access(settings, catalog)
        first = renew()
        searcher = Searcher(
            first.index,
            first.embedder,
            first.analyzer,
            access,
            CatalogAudit(catalog, channel),
            settings.search,
            renew=renew,
            dictionary=dictionary or Synonyms(catalog, glossary=settings.search.glossary),
            reranker=make_reranker(settings.search),
        )
        stack.callback(searcher.close)
        yield SearchParts(searcher, catalog, access)


def answerer_of(settings: Settings, searcher: Searcher) -> Answerer:
    """Answers questions over what a searcher finds; a model writes them where one is configured."""
    from search.answers.generate import ChatWriter
    from search.answers.service import Answerer

    wanted = settings.answer
    writer = ChatWriter(wanted, lambda: searcher.tools) if wanted.url else None
    return Answerer(searcher, writer, wanted.threshold)


def _rules_tag(settings: Settings) -> str:
    digest = hashlib.sha256("\0".join(settings.departments).encode())
    if settings.code_master:
        digest.update(settings.code_master.read_bytes())
    return digest.hexdigest()[:16]
