"""Every document has an outcome; it is stored, never only logged (design §4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from contracts.failures import RETRYABLE, FailureClass, advice_for

__all__ = ["Outcome", "OutcomeKind", "SkipReason"]


class OutcomeKind(StrEnum):
    """How the handling of a document ended."""

    INDEXED = "indexed"
    INDEXED_WITH_WARNINGS = "indexed_with_warnings"
    REJECTED = "rejected"
    FAILED = "failed"
    SKIPPED = "skipped"


class SkipReason(StrEnum):
    """Why an item is not a document of ours."""

    LOCK_FILE = "lock_file"
    SYSTEM_FILE = "system_file"
    EXCLUDED = "excluded"
    SYMLINK = "symlink"
    SPECIAL_FILE = "special_file"
    INLINE_IMAGE = "inline_image"
    DELETED = "deleted"
    SPECIAL_FOLDER = "special_folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one document.

    Attributes:
        kind: How it ended.
        failure: The class, for ``rejected`` and ``failed``.
        reason: Why it was skipped, or the detail of a failure, one line.
        warnings: One line each.
    """

    kind: OutcomeKind
    failure: FailureClass | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @classmethod
    def of_failure(cls, failure: FailureClass, reason: str = "") -> Outcome:
        """``failed`` where a later try may help, else ``rejected``."""
        kind = OutcomeKind.FAILED if failure in RETRYABLE else OutcomeKind.REJECTED
        return cls(kind=kind, failure=failure, reason=reason)

    @property
    def retryable(self) -> bool:
        """Whether a later try may end otherwise."""
        return self.failure in RETRYABLE

    @property
    def advice(self) -> str:
        """What a person can do about it, or ""."""
        return advice_for(self.failure) if self.failure else ""
