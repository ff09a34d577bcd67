"""What one person may see of documents: their names and their text, each only as far as the access check says. Fail closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acl_sync.view import AccessView
    from catalog.catalog import Catalog

__all__ = ["MASK", "Sight"]

MASK = "•••"
"""Stands for a name that the person may not see."""

_NAMED = frozenset({"pending_deletion", "protected"})
"""Reasons of the overlay that hide the text of a document, but not its name from those whom its list lets read it."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The eyes of one person during one request.

    Attributes:
        catalog: Where documents and scopes are.
        access: What the person may read now.
    """

    catalog: Catalog
    access: AccessView

    def text(self, document_id: str) -> bool:
        """Whether the person may read the document now."""
        document = self.catalog.documents.get(document_id)
        return (
            document is not None
            and document.state == "live"
            and document.scope_id in self.access.scopes
            and document_id not in self.access.hidden_documents
        )

    def name(self, document_id: str, scope_id: str) -> bool:
        """Whether the person may see the document's name: its list lets them read it, and no move waits to be followed."""
        if scope_id not in self.access.scopes:
            return False
        if document_id not in self.access.hidden_documents:
            return True
        return _NAMED.issuperset(self.catalog.overlay.reasons(document_id))

    def path(self, source: str, path: str) -> bool:
        """Whether the person may see the name of something that is no document: the nearest list above decides."""
        at = path
        while at:
            at = at.rpartition("/")[0]
            scope = f"{source}:{at or '/'}"
            if self.catalog.scopes.get(scope) is not None:
                return scope in self.access.scopes
        return False

    def shown(self, *, source: str, document_id: str, scope_id: str, path: str) -> str:
        """The path, or the mask."""
        seen = self.name(document_id, scope_id) if document_id else self.path(source, path)
        return path.encode("utf-8", "backslashreplace").decode() if seen else MASK
