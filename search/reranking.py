"""Cross-encoders: the query and each of the best passages read together by a model; by default there is none.

Two engines behind one port: a folder with ``model.onnx`` and ``tokenizer.json`` (as ``optimum`` exports a sequence
classifier), and ``CrossEncoder`` of sentence-transformers (its extra).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.settings import SearchSettings
    from search.ranking import Ranked

__all__ = ["Reranker", "make_reranker", "reranked"]

_MOST_TOKENS = 512
_BATCH = 8


class Reranker(Protocol):
    """Judges passages for a query."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query; higher is better, comparable within one call."""
        ...


def make_reranker(settings: SearchSettings) -> Reranker | None:
    """The configured cross-encoder, or None.

    Raises:
        ConfigError: its model or package is not there.
    """
    if not settings.reranker:
        return None
    if not settings.reranker_model:
        raise ConfigError(
            "search.reranker needs search.reranker_model", advice="a folder with the model"
        )
    if settings.reranker == "onnx":
        return _OnnxReranker(Path(settings.reranker_model))
    return _CrossEncoder(settings.reranker_model)


def reranked(
    query: str, read: Sequence[Ranked], reranker: Reranker | None, weight: float
) -> list[Ranked]:
    """Passages in the order of their scores and the model's.

    The model's scores are stretched between its worst and its best passage, times ``weight``.

    Args:
        query: As it is searched.
        read: Passages, best first.
        reranker: The model; None: nothing changes.
        weight: Of the model; the other score is 0 to about 2.2.
    """
    if reranker is None or len(read) < 2:  # noqa: PLR2004
        return list(read)
    scores = reranker.scores(query, [one.stored.chunk.embedded_text for one in read])
    least, most = min(scores), max(scores)
    if most <= least:
        return list(read)
    judged = [
        replace(one, model=weight * (score - least) / (most - least))
        for one, score in zip(read, scores, strict=True)
    ]
    order = sorted(range(len(judged)), key=lambda place: -judged[place].score)
    new = {old: place for place, old in enumerate(order)}
    return [_renumbered(judged[place], new) for place in order]


def _renumbered(one: Ranked, new: dict[int, int]) -> Ranked:
    return one if one.copy_of is None else replace(one, copy_of=new[one.copy_of])


class _OnnxReranker:
    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        from search.embedding.onnx_engine import open_session

        missing = [n for n in ("model.onnx", "tokenizer.json") if not (folder / n).is_file()]
        if missing:
            raise ConfigError(f"the model folder {folder} has no {' and no '.join(missing)}")
        # the library raises a bare Exception for a file that it cannot read
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as problem:
            raise ConfigError(f"{folder / 'tokenizer.json'}: {problem}") from problem
        self._tokenizer.enable_truncation(_MOST_TOKENS, strategy="only_second")
        self._tokenizer.enable_padding()
        self._session = open_session(folder / "model.onnx", fuse=True)
        self._inputs = {one.name for one in self._session.get_inputs()}

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        found: list[float] = []
        for start in range(0, len(texts), _BATCH):
            found += self._run(query, texts[start : start + _BATCH])
        return found

    def _run(self, query: str, texts: Sequence[str]) -> list[float]:
        encoded = self._tokenizer.encode_batch([(query, text) for text in texts])
        given = {
            "input_ids": [one.ids for one in encoded],
            "attention_mask": [one.attention_mask for one in encoded],
            "token_type_ids": [one.type_ids for one in encoded],
        }
        fed = {name: np.array(ids, np.int64) for name, ids in given.items() if name in self._inputs}
        logits = np.asarray(self._session.run(None, fed)[0], np.float64).reshape(len(texts), -1)
        # one value says how well; of two classes, the second one against the first
        values: list[float] = (
            logits[:, -1] - (logits[:, 0] if logits.shape[1] > 1 else 0)
        ).tolist()
        return values


class _CrossEncoder:
    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as problem:
            raise ConfigError(
                "search.reranker = sentence-transformers needs its extra",
                advice="pip install 'seoga[sentence-transformers]'",
            ) from problem
        self._model: Any = CrossEncoder(model, max_length=_MOST_TOKENS)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        found = self._model.predict([(query, text) for text in texts], batch_size=_BATCH)
        return [float(score) for score in np.asarray(found).reshape(len(texts), -1)[:, -1]]
