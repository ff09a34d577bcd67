"""From a parsed document to passages, by its structure (design §3)."""

from ingest.chunking.document import chunk_document
from ingest.chunking.tables import profile_warnings

__all__ = ["chunk_document", "profile_warnings"]
