"""Writes ONNX graphs: the few message types of ``onnx.proto`` (ONNX IR version 10) that an encoder needs.

The ``onnx`` package (27 MB, for one graph at first use) is not needed for that; its checker reads the result in the tests.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["MICROSOFT", "GraphWriter"]

MICROSOFT = "com.microsoft"  # ONNX Runtime's own operators

_IR_VERSION = 10
_OPSET = 21
_ELEMENT_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_INT4 = 22
_ALIGNMENT = 4096  # a page, so that the runtime maps the tensor instead of reading it
_INLINE_BYTES = 1024
_EXTERNAL = 1

# Wire types of Protocol Buffers (encoding specification, "Message structure").
_VARINT, _BYTES, _FIXED32 = 0, 2, 5


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers take ten bytes, as in two's complement
    out = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits a byte
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | _BYTES) + _varint(len(raw)) + raw


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | _FIXED32) + struct.pack("<f", value)


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    # AttributeProto: name 1, f 2, i 3, ints 8, type 20 (FLOAT 1, INT 2, INTS 7)
    if isinstance(value, float):
        body = _float(2, value) + _integer(20, 1)
    elif isinstance(value, int):
        body = _integer(3, value) + _integer(20, 2)
    else:
        body = b"".join(_integer(8, item) for item in value) + _integer(20, 7)
    return _bytes(1, name) + body


def _value_info(name: str, element_type: int, dimensions: Sequence[int | str]) -> bytes:
    # ValueInfoProto: name 1, type 2; TypeProto.tensor_type 1: elem_type 1, shape 2; dim 1: dim_value 1 or dim_param 2
    shape = b"".join(
        _bytes(1, _integer(1, size) if isinstance(size, int) else _bytes(2, size))
        for size in dimensions
    )
    return _bytes(1, name) + _bytes(2, _bytes(1, _integer(1, element_type) + _bytes(2, shape)))


class GraphWriter:
    """Collects nodes and constants and makes them a model.

    Args:
        data_path: File that receives the constants over 1 KB, created anew; it stands beside the model. None keeps all in the model.
    """

    def __init__(self, data_path: Path | None = None) -> None:
        self._data_path = data_path
        self._data_size = 0
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._names: set[str] = set()
        if data_path is not None:
            data_path.unlink(missing_ok=True)  # a session may still have the old file mapped
            data_path.write_bytes(b"")

    def constant(self, name: str, values: npt.NDArray[np.generic]) -> str:
        """Add a constant of type float32, uint8, int8 or int64 and return its name."""
        kind = _ELEMENT_TYPES[values.dtype.name]
        return self._tensor(name, kind, values.shape, np.ascontiguousarray(values).tobytes())

    def constant_int4(self, name: str, values: npt.NDArray[np.int8]) -> str:
        """Add a constant of signed 4-bit numbers, two a byte with the first in the low half."""
        halves = values.reshape(-1).view(np.uint8) & 0xF
        packed = halves[0::2] | halves[1::2] << 4
        return self._tensor(name, _INT4, values.shape, packed.tobytes())

    def _tensor(self, name: str, element_type: int, shape: Sequence[int], raw: bytes) -> str:
        if name in self._names:
            raise ValueError(f"two constants are named {name}")
        self._names.add(name)
        # TensorProto: dims 1, data_type 2, name 8, raw_data 9, external_data 13, data_location 14
        head = b"".join(_integer(1, size) for size in shape)
        head += _integer(2, element_type) + _bytes(8, name)
        if self._data_path is None or len(raw) <= _INLINE_BYTES:
            self._constants.append(head + _bytes(9, raw))
            return name
        offset = -(-self._data_size // _ALIGNMENT) * _ALIGNMENT
        with self._data_path.open("r+b") as file:
            file.seek(offset)
            file.write(raw)
        self._data_size = offset + len(raw)
        where = {"location": self._data_path.name, "offset": str(offset), "length": str(len(raw))}
        entries = (_bytes(13, _bytes(1, key) + _bytes(2, value)) for key, value in where.items())
        self._constants.append(head + b"".join(entries) + _integer(14, _EXTERNAL))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: str | Sequence[str],
        *,
        domain: str = "",
        **attributes: float | Sequence[int],
    ) -> str:
        """Add a node and return its first output."""
        names = [outputs] if isinstance(outputs, str) else list(outputs)
        # NodeProto: input 1, output 2, name 3, op_type 4, attribute 5, domain 7
        body = b"".join(_bytes(1, name) for name in inputs)
        body += b"".join(_bytes(2, name) for name in names)
        body += _bytes(3, names[0]) + _bytes(4, operator)
        body += b"".join(_bytes(5, _attribute(key, value)) for key, value in attributes.items())
        self._nodes.append(body + _bytes(7, domain) if domain else body)
        return names[0]

    def model(
        self,
        inputs: Iterable[tuple[str, str, Sequence[int | str]]],
        outputs: Iterable[tuple[str, str, Sequence[int | str]]],
    ) -> bytes:
        """The serialised model.

        Args:
            inputs: Name, element type and shape (a number or a name for each axis).
            outputs: The same of the outputs.
        """
        # GraphProto: node 1, name 2, initializer 5, input 11, output 12
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _bytes(2, "graph")
        graph += b"".join(_bytes(5, tensor) for tensor in self._constants)
        for field, values in ((11, inputs), (12, outputs)):
            for name, kind, shape in values:
                graph += _bytes(field, _value_info(name, _ELEMENT_TYPES[kind], shape))
        # ModelProto: ir_version 1, producer_name 2, graph 7, opset_import 8 (domain 1, version 2)
        model = _integer(1, _IR_VERSION) + _bytes(2, "seoga") + _bytes(7, graph)
        model += _bytes(8, _integer(2, _OPSET))
        return model + _bytes(8, _bytes(1, MICROSOFT) + _integer(2, 1))
