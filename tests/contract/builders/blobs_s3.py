"""Blobs in a bucket of a double: moto's server, which speaks S3's protocol over HTTP and keeps objects in memory.

What a real server does beyond that (durability, consistency across nodes, signatures that are refused) is not
tested here. ``SEOGA_TEST_S3`` names another server to run the suite on, as ``http://KEY:SECRET@HOST:PORT``.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from types import SimpleNamespace
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

from contracts.settings import BlobSettings
from ingest.blob_registry import make_blobs

_BUCKET = "seoga-test"
_START_SECONDS = 60
# builders are loaded anew for each bench; the server is one for the whole process
_shared = sys.modules.setdefault("seoga_s3_double", SimpleNamespace(server=None))


def bench(folder):
    """A bench over a prefix of its own; ``bench(folder)`` again, in another process too, is the same store."""
    return S3Bench(folder)


class S3Bench:
    """See ``tests/contract/test_blob_store.py``."""

    def __init__(self, folder):
        self.folder = folder
        place = folder / "s3.json"
        if not place.exists():
            place.write_text(json.dumps({**server(), "prefix": uuid.uuid4().hex}))
        self._place = json.loads(place.read_text())
        self._prefix = f"{self._place['prefix']}/deep"
        self.settings = BlobSettings(
            url=f"s3://{_BUCKET}/{self._prefix}",
            endpoint=self._place["endpoint"],
            region="us-east-1",
            access_key=self._place["key"],
            secret_key=self._place["secret"],
            timeout_seconds=20,
        )
        self._client = client(self._place)

    def store(self):
        """The store, opened anew."""
        return make_blobs(self.settings, self.folder)

    def damage(self, key, how):
        """Change what is stored under a key, as a failing disk does."""
        at = {"Bucket": _BUCKET, "Key": f"{self._prefix}/{key}"}
        data = self._client.get_object(**at)["Body"].read()
        self._client.put_object(**at, Body=how(data))

    def litter(self):
        """How many objects, and unfinished uploads, belong to no key."""
        at = {"Bucket": _BUCKET, "Prefix": f"{self._prefix}/"}
        keys = {f"{self._prefix}/{key}" for key in list(self.store().keys())}
        objects = {o["Key"] for o in self._client.list_objects_v2(**at).get("Contents", ())}
        uploads = self._client.list_multipart_uploads(**at).get("Uploads", ())
        return len(objects - keys) + len(uploads)

    def grow_old(self, days):
        """Nothing here grows old: an object is there as a whole, or not at all."""

    def close(self):
        """Close connections."""
        self._client.close()


def client(place):
    """A client of the tests' own."""
    return boto3.client(
        "s3",
        endpoint_url=place["endpoint"],
        region_name="us-east-1",
        aws_access_key_id=place["key"],
        aws_secret_access_key=place["secret"],
        config=Config(s3={"addressing_style": "path"}),
    )


def server():
    """Where the server of this process is, started with its bucket where it is not."""
    if _shared.server is None:
        given = os.environ.get("SEOGA_TEST_S3")
        _shared.server = _given(given) if given else _start()
        found = client(_shared.server)
        if _BUCKET not in {bucket["Name"] for bucket in found.list_buckets()["Buckets"]}:
            found.create_bucket(Bucket=_BUCKET)
        found.close()
    return _shared.server


def _given(url):
    parts = urlsplit(url)
    endpoint = f"{parts.scheme}://{parts.hostname}:{parts.port}"
    return {"endpoint": endpoint, "key": parts.username, "secret": parts.password}


def _start():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(_stop, process)
    endpoint = f"http://127.0.0.1:{port}"
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return {"endpoint": endpoint, "key": "seoga", "secret": "not-a-secret"}
    msg = "moto's server did not start"
    raise RuntimeError(msg)


def _stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=10)
