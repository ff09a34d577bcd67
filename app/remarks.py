"""Keeps what readers say; what somebody should not have seen goes to the audit log, and to the security officer.

They are told by the metric ``seoga_feedback_waiting``, whose alert is critical, by ``seoga status`` and by an error in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from catalog.records import QueryRecord
from catalog.times import utc_now
from contracts.feedback import FeedbackKind

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.feedback import Feedback

__all__ = ["CatalogFeedback"]

_log = structlog.get_logger()


class CatalogFeedback:
    """Keeps remarks in the catalog.

    Args:
        catalog: Where.
        channel: For the audit log.
    """

    def __init__(self, catalog: Catalog, channel: str) -> None:
        self._catalog = catalog
        self._channel = channel

    def keep(self, said: Feedback) -> int:
        """Store it, with its line in the audit log where it is a report of exposure: both or neither."""
        with self._catalog.transaction():
            stored = self._catalog.feedback.append(said)
            if said.kind is FeedbackKind.SHOULD_NOT_SEE:
                via = f"{self._channel}:{said.via}" if said.via else self._channel
                self._catalog.queries.append(
                    QueryRecord(
                        at=utc_now(),
                        reader=said.reader,
                        query=f"feedback should_not_see {stored.seq}",
                        document_ids=(said.document_id,),
                        channel=via,
                    )
                )
        if said.kind is FeedbackKind.SHOULD_NOT_SEE:
            _log.error("exposure_reported", feedback=stored.seq, document=said.document_id)
        return stored.seq
