"""schemathesis on the real API over a real index: requests made from its OpenAPI document, good and bad ones.

All checks are on: no 5xx, documented statuses, media types and bodies, refusal of what breaks the schema, acceptance of
what keeps it, 401 without a token, 405 for other methods.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from harness.api_server import ApiServer

__all__ = ["run"]

ROOT = Path(__file__).resolve().parents[2]
READERS = ("kim", "choi", "lee", "park", "seo")
QUESTION = "세척액 온도 기준"
_SUMMARY = re.compile(
    r"^\s*(?:[✅❌⚠🚫].*|Operations:.*|Tested:.*|.*(?:generated|passed|failed|found).*)$",
    re.MULTILINE,
)


def run(*, examples: int, seed: int) -> bool:
    """``examples`` requests an operation and phase; prints what schemathesis says, whether it found nothing."""
    with ApiServer() as server:
        hits = [
            h for r in READERS for h in server.post("/v1/search", query=QUESTION, reader=r)["hits"]
        ]
        pairs = sorted({(hit["document_id"], hit["chunk_id"]) for hit in hits})
        known = json.dumps({"readers": READERS, "passages": pairs})
        words = [
            sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json",
            "--header", f"Authorization: Bearer {server.token}", "--max-examples", str(examples),
            "--seed", str(seed), "--checks", "all", "--phases", "examples,coverage,fuzzing,stateful",
            "--generation-database", "none", "--no-color",
        ]  # fmt: skip
        done = subprocess.run(
            words,
            cwd=server.folder,
            env={
                **os.environ,
                "SCHEMATHESIS_HOOKS": "proofs.schema_hooks",
                "PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT}",
                "SEOGA_SCHEMA_KNOWN": known,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout[-6000:] if done.returncode else _short(done.stdout))
        audited = json.loads(server.seoga("audit", "tail", "--limit", "10000", "--json"))
        shown = sum(bool(row["document_ids"]) for row in audited)
        opened = sum(" passage " in row["query"] for row in audited if row["document_ids"])
        print(
            f"{len(audited)} requests reached the search, {shown} were given documents, {opened} of them a passage by its id"
        )
        if done.returncode:
            print(done.stderr[-2000:], server.log()[-2000:])
    return done.returncode == 0 and shown > 0 and opened > 0


def _short(said: str) -> str:
    """The summary alone."""
    return said[said.rfind("SUMMARY") :] if "SUMMARY" in said else said[-1500:]
