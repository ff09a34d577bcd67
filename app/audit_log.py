"""The audit log checked, handed out and anchored outside the catalog, so that cutting its end shows."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from catalog.times import utc_now
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from catalog.catalog import Catalog
    from catalog.records import QueryRecord

__all__ = ["Verdict", "anchor", "lines", "verify"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of the log.

    Attributes:
        rows: Rows kept.
        head: Number of the last one.
        broken: Number of the first row that is not what was written, or None.
        cut: Number of the first anchored row that is not there, or is another one, or None.
    """

    rows: int
    head: int
    broken: int | None = None
    cut: int | None = None

    @property
    def fine(self) -> bool:
        """Whether nothing was changed, removed or cut off."""
        return self.broken is None and self.cut is None


def verify(catalog: Catalog, anchors: Path | None = None) -> Verdict:
    """Check the chain, and the heads that were written down elsewhere.

    Raises:
        ConfigError: the file of anchors cannot be read, or is none.
    """
    wrong = catalog.queries.verify_chain()
    cut = None
    for seq, digest in _anchored(anchors) if anchors is not None else ():
        kept = catalog.queries.digest_of(seq)
        if kept is not None and kept != digest:
            cut = seq
            break
    return Verdict(
        rows=catalog.queries.count(),
        head=catalog.queries.head()[0],
        broken=wrong.seq if wrong else None,
        cut=cut,
    )


def anchor(catalog: Catalog, file: Path) -> int:
    """Append the head to a file outside: ``<number> <digest> <time>``; returns the number.

    Raises:
        ConfigError: it cannot be written.
    """
    seq, digest = catalog.queries.head()
    try:
        with file.open("a", encoding="ascii") as out:
            out.write(f"{seq} {digest} {utc_now()}\n")
            out.flush()
            os.fsync(out.fileno())
    except OSError as problem:
        raise ConfigError(f"{file}: {problem.strerror}") from problem
    return seq


def lines(
    catalog: Catalog, *, since: str = "", until: str = "", reader: str | None = None
) -> Iterator[str]:
    """The log as JSON lines, oldest first, with numbers and digests.

    Args:
        catalog: Where it is.
        since: UTC text; from here on.
        until: UTC text; before this. "" for no end.
        reader: Of this reader only.
    """
    for record in catalog.queries.stream():
        inside = record.at >= since and (not until or record.at < until)
        if inside and reader in {None, record.reader}:
            yield _line(record)


def _line(record: QueryRecord) -> str:
    return json.dumps(asdict(record), ensure_ascii=False).encode("utf-8", "replace").decode()


def _anchored(file: Path) -> Iterator[tuple[int, str]]:
    try:
        written = file.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{file}: {problem}") from problem
    for number, line in enumerate(written, start=1):
        seq, _, rest = line.partition(" ")
        if not seq.isdigit() or not rest:
            raise ConfigError(f"{file}: line {number} is no anchor")
        if int(seq):
            yield int(seq), rest.split()[0]
