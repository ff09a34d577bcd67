"""Blobs in a bucket of S3, or of a server that speaks its protocol, through fsspec (s3fs)."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from contracts.errors import BlobsUnavailableError, ConfigError
from ingest.blob_frames import checked_key, framed, is_key, unframed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from contracts.settings import BlobSettings

__all__ = ["S3Blobs", "open_blobs"]

_SCHEME = "s3://"
_MOST_DELETED = 1000
"""Keys that one request may delete (S3 API, DeleteObjects)."""
_MOST_FOLDERS = 10_000
_CONNECT_SECONDS = 10.0
_FORBIDDEN = 403


def open_blobs(settings: BlobSettings, _home: Path) -> S3Blobs:
    """The blobs below ``blobs.url``, ``s3://BUCKET/PREFIX``."""
    return S3Blobs(settings)


class S3Blobs:
    """See :class:`contracts.ports.BlobStore`. Safe for use by several threads, and after a fork.

    A blob is one object, written by one request, so that it is there as a whole or not at all; it carries a digest of
    its content. That no key lies below another is looked at before an object is written: two processes that write
    such keys at the same moment are not kept apart.

    Args:
        settings: Where, as whom, and with how much patience.

    Raises:
        ConfigError: no such bucket, no credentials, s3fs is missing, or the address is none.
        BlobsUnavailableError: the server does not answer.
    """

    def __init__(self, settings: BlobSettings) -> None:
        bucket, _, prefix = settings.url.removeprefix(_SCHEME).partition("/")
        if not bucket:
            raise ConfigError(
                f"blobs.url: no bucket in {settings.url!r}", advice="s3://BUCKET/PREFIX"
            )
        self._settings = settings
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._system: Any = None
        self._process = -1
        self._folders: set[str] = set()
        self._connect()
        with self._translated(opening=True):
            self._first("")

    def put(self, key: str, data: bytes) -> None:
        """Write one object, whatever lay there; what is there and sound is the same bytes."""
        checked_key(key)
        parts = key.split("/")
        above = {"/".join(parts[:depth]) for depth in range(1, len(parts))} - self._folders
        with self._translated():
            for parent in sorted(above):
                if self._first(parent) == parent:
                    raise ValueError(f"not a blob key, it lies below another: {key!r}")
            if self._first(f"{key}/") is not None:
                raise ValueError(f"not a blob key, others lie below it: {key!r}")
            self._call("put_object", Key=self._prefix + key, Body=framed(data))
        if len(self._folders) > _MOST_FOLDERS:
            self._folders.clear()
        self._folders |= above

    def get(self, key: str) -> bytes | None:
        """The bytes, or None; a damaged blob counts as missing."""
        checked_key(key)
        with self._translated():
            try:
                path = f"{self._bucket}/{self._prefix}{key}"
                return unframed(self._connect().cat_file(path, max_concurrency=1))
            except FileNotFoundError as problem:
                if _code(problem) == "NoSuchBucket":
                    raise
                return None

    def delete(self, keys: Iterable[str]) -> None:
        """Remove; unknown keys are ignored."""
        batch: list[str] = []
        for key in keys:
            batch.append(checked_key(key))
            if len(batch) == _MOST_DELETED:
                self._delete(batch)
                batch = []
        if batch:
            self._delete(batch)

    def keys(self, prefix: str = "") -> Iterator[str]:
        """All keys that start so, in order, a page at a time."""
        more: dict[str, str] = {}
        while True:
            with self._translated():
                page = self._call("list_objects_v2", Prefix=self._prefix + prefix, **more)
            for entry in page.get("Contents", ()):
                key = entry["Key"].removeprefix(self._prefix)
                if is_key(key):
                    yield key
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def _delete(self, keys: list[str]) -> None:
        objects = [{"Key": self._prefix + key} for key in dict.fromkeys(keys)]
        with self._translated():
            done = self._call("delete_objects", Delete={"Objects": objects, "Quiet": True})
        for problem in done.get("Errors", ()):
            if problem.get("Code") != "NoSuchKey":  # a document that was purged must be gone
                raise BlobsUnavailableError(
                    f"{self._settings.url}: {problem.get('Code')} for {problem.get('Key')}"
                )

    def _first(self, prefix: str) -> str | None:
        """The first key that starts so: the prefix itself where it is a key."""
        page = self._call("list_objects_v2", Prefix=self._prefix + prefix, MaxKeys=1)
        found = [entry["Key"].removeprefix(self._prefix) for entry in page.get("Contents", ())]
        return found[0] if found else None

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._connect().call_s3(method, Bucket=self._bucket, **arguments)
        return answer

    def _connect(self) -> Any:
        """The file system of this process: one of a parent's does not survive a fork."""
        if self._process != os.getpid():
            self._system, self._process = _open_system(self._settings), os.getpid()
        return self._system

    @contextlib.contextmanager
    def _translated(self, *, opening: bool = False) -> Iterator[None]:
        """Turn what s3fs and botocore raise into our errors."""
        from botocore.exceptions import BotoCoreError, NoCredentialsError

        url = self._settings.url
        try:
            yield
        except NoCredentialsError as problem:
            raise ConfigError(
                f"{url}: no credentials",
                advice="SEOGA_BLOBS_ACCESS_KEY_FILE, SEOGA_BLOBS_SECRET_KEY_FILE",
            ) from problem
        except PermissionError as problem:
            raise BlobsUnavailableError(
                f"{url}: {problem}",
                advice="the key may not list, get, put and delete objects there, or is a wrong one",
            ) from problem
        except (OSError, BotoCoreError) as problem:
            if _code(problem) == "NoSuchBucket":
                kind = ConfigError if opening else BlobsUnavailableError
                raise kind(f"{url}: there is no such bucket", advice="make it first") from problem
            raise BlobsUnavailableError(f"{url}: {problem}") from problem


def _open_system(settings: BlobSettings) -> Any:
    client: dict[str, Any] = {"region_name": settings.region} if settings.region else {}
    if settings.ca_file is not None:
        client["verify"] = str(settings.ca_file)
    options: dict[str, Any] = {
        "key": settings.access_key.get_secret_value() if settings.access_key else None,
        "secret": settings.secret_key.get_secret_value() if settings.secret_key else None,
        "endpoint_url": settings.endpoint or None,
        "client_kwargs": client,
        "config_kwargs": {
            "connect_timeout": min(_CONNECT_SECONDS, settings.timeout_seconds),
            "read_timeout": settings.timeout_seconds,
            "retries": {"total_max_attempts": settings.attempts, "mode": "standard"},
            # a server of one's own seldom has a host name for each bucket
            "s3": {"addressing_style": "path" if settings.endpoint else "auto"},
            # older servers do not know the checksums that newer clients add by themselves; a blob has its own
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
        },
        "use_listings_cache": False,
        "skip_instance_cache": True,
    }
    try:
        import fsspec

        system = fsspec.filesystem("s3", **options)
    except ImportError as problem:
        raise ConfigError(
            "blobs in S3 need the packages fsspec and s3fs", advice="pip install 'seoga[s3]'"
        ) from problem
    system.retries = 2  # for a body that breaks off; botocore's own are above
    return system


def _code(problem: BaseException) -> str:
    """The error code of the server, or ""."""
    answer = getattr(problem.__cause__ or problem, "response", None) or {}
    return str(answer.get("Error", {}).get("Code", ""))
