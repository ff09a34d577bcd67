"""What readers say of what they were shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["REPORTS", "Feedback", "FeedbackKind"]


class FeedbackKind(StrEnum):
    """What is said."""

    CLICK = "click"
    """The reader opened the passage."""

    UP = "up"
    """It helped."""

    DOWN = "down"
    """It did not."""

    WRONG_REVISION = "wrong_revision"
    """It is not the revision that counts."""

    SHOULD_NOT_SEE = "should_not_see"
    """The reader believes that this should not be shown to them: for the security officer, at once."""


REPORTS = (FeedbackKind.WRONG_REVISION, FeedbackKind.SHOULD_NOT_SEE)
"""Kinds that wait for a person, until they are settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One remark.

    Attributes:
        kind: What is said.
        reader: Who says it.
        query: What was asked, or "".
        document_id: The document, or "" where it is about an answer as a whole.
        chunk_id: The passage, or "".
        note: In the reader's own words, or "".
        via: The service that hands it on.
        seq: Its number, from 1; 0 before it is stored.
        at: When, UTC text; "" before it is stored.
        settled_by: Who settled a report, or "".
        verdict: What they found, or "".
    """

    kind: FeedbackKind
    reader: str
    query: str = ""
    document_id: str = ""
    chunk_id: str = ""
    note: str = ""
    via: str = ""
    seq: int = 0
    at: str = ""
    settled_by: str = ""
    verdict: str = ""
