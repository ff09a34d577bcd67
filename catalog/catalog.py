"""The catalog: everything that Seoga knows, in one database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from catalog.browse import BrowseStore
from catalog.changes import ChangeStore
from catalog.database import Database, open_database
from catalog.dictionaries import DictionaryStore
from catalog.documents import DocumentStore
from catalog.draws import DrawStore
from catalog.evaluations import EvaluationStore
from catalog.events import EventStore
from catalog.feedback import FeedbackStore
from catalog.items import ItemStore
from catalog.ledger import LedgerStore
from catalog.meta import MetaStore
from catalog.migrate import migrate
from catalog.outbox import OutboxStore
from catalog.outcomes import OutcomeStore
from catalog.overlay import OverlayStore
from catalog.people import PeopleStore
from catalog.principals import PrincipalStore
from catalog.quality import QualityStore
from catalog.queries import QueryStore
from catalog.reviews import ReviewStore
from catalog.runs import RunStore
from catalog.scopes import ScopeStore
from catalog.sessions import SessionStore
from catalog.sources import SourceStore
from catalog.tasks import TaskStore
from catalog.versions import VersionStore

__all__ = ["Catalog"]


class Catalog:
    """One store an aggregate; safe to share between threads.

    Each call of a store is a transaction of its own, unless the thread is inside ``transaction``. What a
    call or transaction wrote is either there as a whole or not at all, whenever the process dies. Writers
    of all threads and processes queue up, so keep transactions short and do no parsing in them. After a
    fork the child opens connections of its own.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.sources = SourceStore(database)
        self.items = ItemStore(database)
        self.documents = DocumentStore(database)
        self.versions = VersionStore(database)
        self.scopes = ScopeStore(database)
        self.overlay = OverlayStore(database)
        self.outbox = OutboxStore(database)
        self.changes = ChangeStore(database)
        self.outcomes = OutcomeStore(database)
        self.quality = QualityStore(database)
        self.runs = RunStore(database)
        self.queries = QueryStore(database)
        self.feedback = FeedbackStore(database)
        self.reviews = ReviewStore(database)
        self.ledger = LedgerStore(database)
        self.principals = PrincipalStore(database)
        self.people = PeopleStore(database)
        self.meta = MetaStore(database)
        self.tasks = TaskStore(database)
        self.events = EventStore(database)
        self.draws = DrawStore(database)
        self.sessions = SessionStore(database)
        self.browse = BrowseStore(database)
        self.dictionaries = DictionaryStore(database)
        self.evaluations = EvaluationStore(database)

    @classmethod
    def open(cls, url: str, home: Path) -> Self:
        """Connect and bring the tables up to date.

        Args:
            url: ``postgresql://USER@HOST/DATABASE``, ``sqlite:///FILE`` (relative to ``home``), or ""
                for ``catalog.db`` in ``home``.
            home: Home folder; made where it is missing and needed.

        Raises:
            ConfigError: the address, the folder or a library cannot be used, or the tables are of a newer Seoga.
            CatalogUnavailableError: the server does not answer, or the file cannot be written to.
        """
        database = open_database(url, home)
        try:
            migrate(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One writing transaction over all stores, for this thread.

        Inside another one it joins it: it is committed with the outer one; an exception undoes what the
        inner one wrote and goes on to the outer one.

        Raises:
            CatalogUnavailableError: the database cannot be reached or written to now.
        """
        with self._database.transaction():
            yield

    def dump(self, write: Callable[[str, Iterator[str]], None]) -> None:
        """See :func:`catalog.copying.dump`."""
        from catalog.copying import dump

        dump(self._database, write)

    def load(self, tables: Iterable[tuple[str, Iterable[str]]], *, leap: bool = True) -> None:
        """See :func:`catalog.copying.load`."""
        from catalog.copying import load

        load(self._database, tables, leap=leap)

    def vacuum(self) -> None:
        """Give back the space of what was removed, so that it cannot be read any more."""
        self._database.vacuum()

    def close(self) -> None:
        """Close the connections; a later call would open new ones."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
