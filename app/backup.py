"""Backups: the catalog of one moment in one file, and the way back. What can be made again (index, parses) is not in them.

A backup is a tar archive: ``manifest.json`` (version, moment, revision of the tables, SHA-256 and rows of each table) first,
then ``catalog/<table>.jsonl.gz`` and, where there is one, ``seoga.toml``. Secrets are in none of them.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from catalog.catalog import Catalog
from catalog.migrate import HEAD_REVISION
from catalog.times import parse_utc, utc_now
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contracts.settings import Settings

__all__ = ["Manifest", "old_backups", "read_manifest", "restore", "verify", "write_backup"]

_FORMAT = 1
_MANIFEST = "manifest.json"
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup holds.

    Attributes:
        format: Of the archive.
        at: When it was taken, UTC text.
        revision: Of the catalog's tables.
        rows: Rows of each table.
        sha256: Hex digest of each table's lines.
    """

    format: int = _FORMAT
    at: str
    revision: str
    rows: dict[str, int] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)


def write_backup(settings: Settings, catalog: Catalog, folder: Path) -> Path:
    """Write a backup into a folder, readable for its owner only; there as a whole or not at all.

    Raises:
        ConfigError: the folder cannot be written to.
        CatalogUnavailableError: the catalog does not answer.
    """
    name = f"seoga-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".seoga-backup-", dir=folder) as made:
            spool = Path(made)
            manifest = _dumped(catalog, spool)
            draft = spool / name
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                _pack(file, manifest, spool, settings.home / "seoga.toml")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(folder / name)
    except OSError as problem:
        raise ConfigError(f"{folder}: {problem.strerror}") from problem
    return folder / name


def _dumped(catalog: Catalog, spool: Path) -> Manifest:
    rows: dict[str, int] = {}
    digests: dict[str, str] = {}

    def write(name: str, lines: Iterator[str]) -> None:
        digest, count = hashlib.sha256(), 0
        with gzip.open(spool / f"{name}.jsonl.gz", "wb", compresslevel=6) as out:
            for line in lines:
                data = f"{line}\n".encode()
                digest.update(data)
                out.write(data)
                count += 1
        rows[name], digests[name] = count, digest.hexdigest()

    at = utc_now()
    catalog.dump(write)
    return Manifest(at=at, revision=HEAD_REVISION, rows=rows, sha256=digests)


def _pack(file: IO[bytes], manifest: Manifest, spool: Path, config: Path) -> None:
    with tarfile.open(fileobj=file, mode="w") as archive:
        data = json.dumps(asdict(manifest), indent=1).encode()
        head = tarfile.TarInfo(_MANIFEST)
        head.size = len(data)
        archive.addfile(head, io.BytesIO(data))
        for name in manifest.rows:
            archive.add(spool / f"{name}.jsonl.gz", f"catalog/{name}.jsonl.gz")
        if config.is_file():
            archive.add(config, "seoga.toml")


@contextmanager
def _opened(file: Path) -> Iterator[tuple[tarfile.TarFile, Manifest]]:
    """A backup with its manifest.

    Raises:
        ConfigError: it is none, a damaged one, or of another Seoga.
    """
    try:
        with tarfile.open(file) as archive:
            head = archive.next()
            data = archive.extractfile(head) if head and head.name == _MANIFEST else None
            if head is None or data is None or head.size > _LARGEST:
                raise ConfigError(f"{file}: 서가의 백업이 아닙니다 (no backup of Seoga)")
            manifest = Manifest(**json.loads(data.read()))
            if manifest.format != _FORMAT or manifest.revision != HEAD_REVISION:
                raise ConfigError(
                    f"{file}: 다른 버전의 백업입니다 (of another version: tables {manifest.revision})",
                    advice=f"이 서가의 표는 {HEAD_REVISION}. 백업한 버전으로 되살린 뒤 올리세요 (restore with the version that wrote it, then upgrade)",
                )
            yield archive, manifest
    except (tarfile.TarError, EOFError, KeyError, OSError, TypeError, ValueError) as problem:
        raise ConfigError(f"{file}: 읽을 수 없습니다 (cannot be read): {problem}") from problem


def read_manifest(file: Path) -> Manifest:
    """What a backup says that it holds.

    Raises:
        ConfigError: it is none.
    """
    with _opened(file) as (_archive, manifest):
        return manifest


def _tables(archive: tarfile.TarFile, manifest: Manifest) -> Iterator[tuple[str, Iterable[str]]]:
    for name in manifest.rows:
        yield name, _lines(archive, manifest, name)


def _lines(archive: tarfile.TarFile, manifest: Manifest, name: str) -> Iterator[str]:
    """The rows of a table, checked against their digest when the last one has been read."""
    stored = archive.extractfile(f"catalog/{name}.jsonl.gz")
    if stored is None:
        raise ConfigError(f"{name}: 백업에 없습니다 (missing in the backup)")
    digest, count = hashlib.sha256(), 0
    with gzip.open(stored, "rb") as lines:
        for line in lines:
            digest.update(line)
            count += 1
            yield line.decode()
    if digest.hexdigest() != manifest.sha256[name] or count != manifest.rows[name]:
        raise ConfigError(f"{name}: 백업이 손상되었습니다 (the backup is damaged)")


def verify(file: Path) -> Manifest:
    """Restore a backup into a catalog that is thrown away, and compare every table and the chain of the audit log.

    Raises:
        ConfigError: it is damaged, or what comes back is not what went in.
    """
    with tempfile.TemporaryDirectory(prefix="seoga-verify-") as made:
        home = Path(made)
        with _opened(file) as (archive, manifest), Catalog.open("", home) as catalog:
            catalog.load(_tables(archive, manifest), leap=False)
            broken = catalog.queries.verify_chain()
            if broken is not None:
                raise ConfigError(
                    f"감사 기록이 번호 {broken.seq}에서 끊겼습니다 (the audit log breaks at {broken.seq})"
                )
            back = _dumped(catalog, home)
        if (back.rows, back.sha256) != (manifest.rows, manifest.sha256):
            raise ConfigError(f"{file}: 되살린 것이 다릅니다 (what comes back is not what went in)")
    return manifest


def restore(catalog: Catalog, file: Path) -> Manifest:
    """Bring a backup back into an empty catalog; nobody may read anything until permissions have been followed again.

    What was revoked after the backup was taken must not come back with it. The next permission run opens what
    the lists of the sources allow now.

    Raises:
        ConfigError: the backup is damaged or of another version, or the catalog is not empty; nothing is changed.
    """
    from acl_sync.tracker import close_scopes

    with _opened(file) as (archive, manifest), catalog.transaction():
        catalog.load(_tables(archive, manifest))
        for source in catalog.sources.list():
            close_scopes(catalog, source.name)
            catalog.items.forget_access(source.name)
    return manifest


def old_backups(folder: Path, days: int) -> list[Path]:
    """Backups in a folder that are older than so many days; other files are never named."""
    found = []
    before = datetime.now(UTC) - timedelta(days=days)
    for file in sorted(folder.glob("seoga-*.tar")):
        taken: Any = _taken(file)
        if taken is not None and taken < before:
            found.append(file)
    return found


def _taken(file: Path) -> datetime | None:
    """When a backup of any version was taken; None for what is none."""
    try:
        with tarfile.open(file) as archive:
            head = archive.next()
            data = archive.extractfile(head) if head and head.name == _MANIFEST else None
            return parse_utc(json.loads(data.read())["at"]) if data is not None else None
    except (tarfile.TarError, EOFError, OSError, ValueError, KeyError):
        return None
