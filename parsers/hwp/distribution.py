"""Distribution documents (배포용 문서): the body is encrypted with a key that the file itself carries.

Source: "한글 문서 파일 형식: 배포용 문서", revision 1.2. Hangul opens such documents for everybody and only
keeps people from editing, copying or printing; reading them takes nothing that the file does not give.
"""

from __future__ import annotations

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.hwp.records import Tag

__all__ = ["decrypt_stream", "stream_key"]

_HEAD = 4
_DATA = 256
_KEY = 16


def decrypt_stream(data: bytes) -> bytes:
    """The still compressed stream behind the leading HWPTAG_DISTRIBUTE_DOC_DATA record.

    Raises:
        ParseFailure: ``hwp_distribution``, where the stream does not begin with a sound record of that kind.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    head = int.from_bytes(data[:_HEAD], "little")
    if head & 0x3FF != Tag.DISTRIBUTE_DOC_DATA or head >> 20 != _DATA:
        raise ParseFailure(FailureClass.HWP_DISTRIBUTION, "no HWPTAG_DISTRIBUTE_DOC_DATA record")
    if len(data) < _HEAD + _DATA:
        raise ParseFailure(FailureClass.TRUNCATED, "HWPTAG_DISTRIBUTE_DOC_DATA is cut off")
    key = stream_key(data[_HEAD : _HEAD + _DATA])
    body = data[_HEAD + _DATA :]
    # The format itself uses ECB; nothing is protected by our choice of mode.
    decryptor = Cipher(algorithms.AES(key), modes.ECB()).decryptor()  # noqa: S305
    return decryptor.update(body[: len(body) // 16 * 16]) + decryptor.finalize()


def stream_key(data: bytes) -> bytes:
    """The AES-128 key in the 256 bytes of HWPTAG_DISTRIBUTE_DOC_DATA.

    The bytes are masked by runs of a pseudo-random byte (the generator of Microsoft's C library, seeded with
    the first four bytes); the key begins at an offset of 4 to 19 that the seed gives.
    """
    seed = state = int.from_bytes(data[:4], "little")
    plain = bytearray(data)
    left = mask = 0
    for at in range(_DATA):
        if left == 0:
            state, mask = _next_random(state)
            state, run = _next_random(state)
            left = (run & 0xF) + 1
        if at >= 4:  # noqa: PLR2004  the seed itself is not masked
            plain[at] ^= mask & 0xFF
        left -= 1
    start = 4 + (seed & 0xF)
    return bytes(plain[start : start + _KEY])


def _next_random(state: int) -> tuple[int, int]:
    state = (state * 214013 + 2531011) & 0xFFFFFFFF
    return state, state >> 16 & 0x7FFF
