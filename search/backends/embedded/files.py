"""The files beside the database of an index: vectors, passages, postings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from search.backends.embedded.passages import PassageColumns
from search.backends.embedded.rowfiles import passage_files, vector_files
from search.backends.embedded.segments import SegmentFiles

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from search.backends.embedded.segments import Segment

__all__ = ["IndexFiles"]


class IndexFiles:
    """All files of one index folder but the database.

    Args:
        folder: Where they lie.
        dimension: Length of a vector.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self.vectors = vector_files(folder, dimension)
        self.passages = passage_files(folder)
        self.columns = PassageColumns(self.passages)
        self.segments = SegmentFiles(folder)

    def open_segments(self, meta: Mapping[str, Any]) -> list[Segment]:
        """The postings that count in a snapshot.

        Raises:
            FileNotFoundError: one was merged away meanwhile: read ``meta`` again.
            IndexUnavailableError: a file is not whole.
        """
        return self.segments.open(_numbers(meta))

    def remove_others(self, meta: Mapping[str, Any]) -> None:
        """Remove what ``meta`` does not name; under the write lock, after its commit.

        Those who read an earlier snapshot keep what they have mapped, and read again what they have not.
        """
        self.vectors.remove_others(meta["vector_file"])
        self.passages.remove_others(meta["passage_file"])
        self.segments.remove_others(_numbers(meta))

    def release(self) -> None:
        """Forget all mappings."""
        self.vectors.release()
        self.passages.release()
        self.segments.release()


def _numbers(meta: Mapping[str, Any]) -> list[int]:
    return [number for number, _ in json.loads(meta["segments"])]
