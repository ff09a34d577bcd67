"""Stable ids: the same tree gives the same ids, whatever was interrupted on the way."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

from parsers.registry import parsers_in_use

if TYPE_CHECKING:
    from contracts.settings import OcrSettings, ParseSettings

__all__ = [
    "child_id",
    "digest",
    "document_id",
    "parse_fingerprint",
    "parse_key",
    "tables_key",
    "version_id",
]

_LENGTH = 32


def digest(*parts: str) -> str:
    """128 bits of SHA-256 over the parts, as hex; parts may hold lone surrogates."""
    joined = b"\0".join(
        os.fsencode(part) if _plain(part) else repr(part).encode() for part in parts
    )
    return hashlib.sha256(joined).hexdigest()[:_LENGTH]


def document_id(source: str, path: str, turn: int = 0) -> str:
    """Id of a document first seen at ``path``; ``turn`` counts earlier documents that moved away from there."""
    return digest("document", source, path, str(turn))


def child_id(parent_id: str, member: str, turn: int = 0) -> str:
    """Id of a container's member; ``turn`` counts earlier members of the same name."""
    return digest("child", parent_id, member, str(turn))


def version_id(document: str, content_sha256: str) -> str:
    """Id of one content of one document."""
    return digest("version", document, content_sha256)


def parse_fingerprint(parse: ParseSettings, ocr: OcrSettings) -> str:
    """Changes whenever a stored parse would come out differently.

    Time and memory limits are left out: they decide whether there is an output, not which.
    """
    values = {
        "parsers": [[entry.name, entry.version] for entry in parsers_in_use(parse.alternatives)],
        "cells": parse.max_cells,
        "pages": parse.max_pages,
        "office": parse.office,
        "ocr": ocr.model_dump(mode="json"),
    }
    return digest(json.dumps(values, sort_keys=True))


def parse_key(content_sha256: str, name: str, fingerprint: str) -> str:
    """Blob key of a parsed document. The ending counts because it breaks ties between kinds of text."""
    ending = os.path.splitext(name)[1].lower()  # noqa: PTH122  a member's name, not a path here
    return f"parsed/{content_sha256[:2]}/{digest(content_sha256, ending, fingerprint)}"


def tables_key(key: str) -> str:
    """Blob key of the stored tables that belong to the parsed document under ``key``."""
    return f"{key}.tables"


def _plain(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True
