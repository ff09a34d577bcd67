"""The error tree: every class has a stable ``code`` and says whether trying again can help.

::

    SeogaError                     code, advice, transient
    ├── ConfigError                config            settings or seoga.toml are wrong
    ├── PermanentError             permanent         the same call will fail again
    │   ├── ParseFailure           parse.<class>     this content cannot become a document
    │   ├── NotFoundError          not_found         no such document, source or citation
    │   ├── UnknownReaderError     unknown_reader    nobody of that name in the directory
    │   ├── QueryError             query             the query is not well-formed
    │   └── ItemGoneError          item_gone         listed, but not there when fetched
    └── TransientError             transient         a later try may succeed
        ├── SourceUnreachableError source_unreachable
        ├── ItemBusyError          item_busy         locked or not readable just now
        ├── IndexUnavailableError  index_unavailable
        │   └── IndexReplacedError index_replaced    another build of the index serves: open it anew
        ├── BlobsUnavailableError  blobs_unavailable
        ├── CatalogUnavailableError catalog_unavailable
        ├── QueueUnavailableError  queue_unavailable
        ├── DirectoryDownError     directory_down
        └── LeaseLostError         lease_lost        another process works on the same thing
"""

from __future__ import annotations

from typing import ClassVar

from contracts.failures import FailureClass, advice_for

__all__ = [
    "BlobsUnavailableError",
    "CatalogUnavailableError",
    "ConfigError",
    "DirectoryDownError",
    "IndexReplacedError",
    "IndexUnavailableError",
    "ItemBusyError",
    "ItemGoneError",
    "LeaseLostError",
    "NotFoundError",
    "ParseFailure",
    "PermanentError",
    "QueryError",
    "QueueUnavailableError",
    "SeogaError",
    "SourceUnreachableError",
    "TransientError",
    "UnknownReaderError",
]


class SeogaError(Exception):
    """Anything that Seoga itself reports.

    Args:
        message: What happened, one sentence, without document text.
        advice: What a person can do about it; empty where the message says it.
    """

    code: ClassVar[str] = "seoga"
    transient: ClassVar[bool] = False

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message} — {self.advice}" if self.advice else self.message


class ConfigError(SeogaError):
    """The environment or ``seoga.toml`` cannot be used as it stands."""

    code = "config"


class PermanentError(SeogaError):
    """The same call on the same input will fail again."""

    code = "permanent"


class ParseFailure(PermanentError):
    """A file that does not become a document, with the class that a person can act on.

    Args:
        failure: One of the failure classes of design §4.
        detail: What was found, without document text (for example a record name or a limit).
    """

    code = "parse"

    def __init__(self, failure: FailureClass, detail: str = "") -> None:
        super().__init__(
            f"{failure.value}: {detail}" if detail else failure.value,
            advice=advice_for(failure),
        )
        self.failure = failure
        self.detail = detail


class NotFoundError(PermanentError):
    """No such document, source or citation (or none that the caller may know of)."""

    code = "not_found"


class UnknownReaderError(PermanentError):
    """The directory knows nobody of that name, or the account is disabled or expired."""

    code = "unknown_reader"


class QueryError(PermanentError):
    """The query, a filter or an option is not well-formed."""

    code = "query"


class ItemGoneError(PermanentError):
    """An item that was listed is not there any more."""

    code = "item_gone"


class TransientError(SeogaError):
    """A later try may succeed: retry with backoff and jitter."""

    code = "transient"
    transient = True


class SourceUnreachableError(TransientError):
    """The root of a source is unreachable, empty or without its marker; nothing was changed."""

    code = "source_unreachable"


class ItemBusyError(TransientError):
    """The item exists but could not be read now (locked, I/O error)."""

    code = "item_busy"


class IndexUnavailableError(TransientError):
    """The index backend does not answer."""

    code = "index_unavailable"


class IndexReplacedError(IndexUnavailableError):
    """Another build of the index serves since ``seoga index rebuild``: nothing was written; open the index anew."""

    code = "index_replaced"


class BlobsUnavailableError(TransientError):
    """The blob store does not answer, or cannot be written to (disk full, no permission)."""

    code = "blobs_unavailable"


class CatalogUnavailableError(TransientError):
    """The catalog's database does not answer, is locked for long, or cannot be written to."""

    code = "catalog_unavailable"


class QueueUnavailableError(TransientError):
    """The broker does not answer; what is to be done stands in the catalog and is rung again."""

    code = "queue_unavailable"


class DirectoryDownError(TransientError):
    """The directory does not answer and the grace time is over: the reader is nobody for now."""

    code = "directory_down"


class LeaseLostError(TransientError):
    """Another process holds the work (or the home folder)."""

    code = "lease_lost"
