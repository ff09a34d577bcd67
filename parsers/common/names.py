"""Names of attachments and archive members, made safe to show, store and join to a path."""

from __future__ import annotations

import re
import unicodedata

from parsers.common.charset import without_surrogates

__all__ = ["safe_name"]

_UNSEEN = re.compile("[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_MAX_PART = 200
_MAX_PARTS = 32
_MAX_EXTENSION = 16


def safe_name(name: str, fallback: str = "unnamed") -> str:
    r"""A relative name with ``/`` between folders that never leaves its container.

    Drive letters, leading slashes, ``.`` and ``..`` parts are dropped, ``\`` becomes ``/``, control and
    direction-changing characters are removed, lone surrogates replaced, over-long parts cut (the extension
    is kept). NFC, as people type.

    Args:
        name: As the container spells it.
        fallback: What a name that holds nothing else becomes.
    """
    name = unicodedata.normalize("NFC", _UNSEEN.sub("", without_surrogates(name))).replace(
        "\\", "/"
    )
    name = re.sub(r"^[A-Za-z]:(?=/)", "", name)
    parts = [part.strip() for part in name.split("/")]
    kept = [_cut(part) for part in parts if part not in {"", ".", ".."}]
    return "/".join(kept[-_MAX_PARTS:]) or fallback


def _cut(part: str) -> str:
    if len(part) <= _MAX_PART:
        return part
    stem, dot, extension = part.rpartition(".")
    if not dot or len(extension) > _MAX_EXTENSION:
        return part[:_MAX_PART]
    return f"{stem[: _MAX_PART - len(extension) - 1]}.{extension}"
