"""Signing and encryption of raw messages with the keys of a session (MS-SMB2 3.1.4.1 and 3.1.4.3).

The algorithms are those that the session has agreed on. What comes must be sealed as what is sent is: an answer that is
not signed, or not encrypted where everything is, is none, and ends the connection.
"""

from __future__ import annotations

import hmac
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import aead, algorithms
from smbprotocol import Dialects
from smbprotocol.connection import Ciphers, SigningAlgorithms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["HEADER", "Encryption", "Seal", "Signature", "UnsealedError", "seal_of"]

HEADER = 64
"""Bytes of a message's header; its signature is the last quarter (2.2.1.2)."""
_SIGNATURE, _FLAGS, _SIGNED = 48, 16, 0x8
_NUMBER = struct.Struct("<Q")
_NUMBER_AT = 24
_NO_SIGNATURE = bytes(16)
_ENCRYPTED = b"\xfdSMB"
_TRANSFORM = struct.Struct(
    "<16sIHHQ"
)  # 2.2.41 after the signature: nonce, size, -, encrypted, session
_TRANSFORM_SIZE, _ASSOCIATED = 52, 20
_IS_ENCRYPTED = 1
_REQUEST, _ANSWER = 0, 1
_GCM_NONCE, _CCM_NONCE = 12, 11


class UnsealedError(Exception):
    """What came was not sealed as agreed, or is not what was sealed."""


class Seal(Protocol):
    """How messages are kept from being read or changed on the way."""

    def close(self, messages: Sequence[bytearray]) -> bytes:
        """The messages of a chain as one frame; signed in place."""
        ...

    def open(self, frame: bytes) -> bytes:
        """The messages of a frame.

        Raises:
            UnsealedError: see there.
        """
        ...

    def check(self, message: bytes) -> None:
        """Make sure of one message of a frame that was opened, with its padding.

        Raises:
            UnsealedError: see there.
        """
        ...


@dataclass(frozen=True, slots=True)
class Signature:
    """Every message is signed.

    Attributes:
        code: Of a message whose signature is zero, and which side sent it.
    """

    code: Callable[[bytes, int], bytes]

    def close(self, messages: Sequence[bytearray]) -> bytes:
        """See :class:`Seal`."""
        for message in messages:
            message[_FLAGS] |= _SIGNED
            message[_SIGNATURE:HEADER] = self.code(bytes(message), _REQUEST)
        return b"".join(messages)

    def open(self, frame: bytes) -> bytes:
        """See :class:`Seal`."""
        return frame

    def check(self, message: bytes) -> None:
        """See :class:`Seal`."""
        if not message[_FLAGS] & _SIGNED:
            raise UnsealedError("an answer that is not signed")
        bare = b"".join((message[:_SIGNATURE], _NO_SIGNATURE, message[HEADER:]))
        if not hmac.compare_digest(self.code(bare, _ANSWER), message[_SIGNATURE:HEADER]):
            raise UnsealedError("an answer whose signature is another's")


class Encryption:
    """Every chain is encrypted, which covers signing.

    Args:
        cipher: Makes one of the two ciphers from a key.
        keys: For what is sent, and for what comes.
        session: Its id.
    """

    def __init__(
        self,
        cipher: type[aead.AESGCM | aead.AESCCM],
        keys: tuple[bytes, bytes],
        session: int,
    ) -> None:
        self._out, self._in = cipher(keys[0]), cipher(keys[1])
        self._session = session
        self._size = _GCM_NONCE if cipher is aead.AESGCM else _CCM_NONCE
        # from a random beginning on, none comes twice; smbprotocol's, of the same key, are random
        self._nonce = int.from_bytes(os.urandom(self._size), "little")

    def close(self, messages: Sequence[bytearray]) -> bytes:
        """See :class:`Seal`."""
        plain = b"".join(messages)
        self._nonce = (self._nonce + 1) & ((1 << 8 * self._size) - 1)
        nonce = self._nonce.to_bytes(self._size, "little")
        associated = _TRANSFORM.pack(nonce, len(plain), 0, _IS_ENCRYPTED, self._session)
        sealed = self._out.encrypt(nonce, plain, associated)
        return b"".join((_ENCRYPTED, sealed[-16:], associated, sealed[:-16]))

    def open(self, frame: bytes) -> bytes:
        """See :class:`Seal`."""
        if len(frame) < _TRANSFORM_SIZE or frame[:4] != _ENCRYPTED:
            raise UnsealedError("an answer that is not encrypted")
        nonce, size, _, flags, session = _TRANSFORM.unpack_from(frame, _ASSOCIATED)
        if flags != _IS_ENCRYPTED or session != self._session:
            raise UnsealedError("an answer of another session")
        sealed = b"".join((frame[_TRANSFORM_SIZE:], frame[4:_ASSOCIATED]))
        associated = frame[_ASSOCIATED:_TRANSFORM_SIZE]
        try:
            plain = self._in.decrypt(nonce[: self._size], sealed, associated)
        except InvalidTag as problem:
            raise UnsealedError("an answer that was changed on the way") from problem
        if len(plain) != size:
            raise UnsealedError("an answer of another size than it says")
        return plain

    def check(self, message: bytes) -> None:
        """See :class:`Seal`."""


def seal_of(tree: Any) -> Seal:
    """The seal of what is asked of a share (a ``TreeConnect`` of ``smbprotocol``), as its session has agreed.

    What is not encrypted is signed: no session without keys is let through (see :class:`acl_sync.smb.line.Line`).
    """
    session, connection = tree.session, tree.session.connection
    if session.encrypt_data or tree.encrypt_data:
        newest = connection.dialect >= Dialects.SMB_3_1_1
        cipher = connection.cipher_id if newest else Ciphers.AES_128_CCM
        galois = cipher in {Ciphers.AES_128_GCM, Ciphers.AES_256_GCM}
        return Encryption(
            aead.AESGCM if galois else aead.AESCCM,
            (session.encryption_key, session.decryption_key),
            session.session_id,
        )
    return Signature(_code_of(connection, session.signing_key))


def _code_of(connection: Any, key: bytes) -> Callable[[bytes, int], bytes]:
    algorithm = SigningAlgorithms.HMAC_SHA256
    if connection.dialect >= Dialects.SMB_3_0_0:
        algorithm = SigningAlgorithms.AES_CMAC
    if connection.dialect >= Dialects.SMB_3_1_1 and connection.signing_algorithm_id is not None:
        algorithm = connection.signing_algorithm_id
    return {
        SigningAlgorithms.HMAC_SHA256: _hmac_sha256,
        SigningAlgorithms.AES_CMAC: _aes_cmac,
        SigningAlgorithms.AES_GMAC: _aes_gmac,
    }[algorithm](key)


def _hmac_sha256(key: bytes) -> Callable[[bytes, int], bytes]:
    return lambda message, _sender: hmac.digest(key, message, "sha256")[:16]


def _aes_cmac(key: bytes) -> Callable[[bytes, int], bytes]:
    begun = cmac.CMAC(algorithms.AES(key))

    def code(message: bytes, _sender: int) -> bytes:
        made = begun.copy()
        made.update(message)
        return made.finalize()

    return code


def _aes_gmac(key: bytes) -> Callable[[bytes, int], bytes]:
    cipher = aead.AESGCM(key)

    def code(message: bytes, sender: int) -> bytes:
        # 3.1.4.1: the nonce is the message's number, and who sent it
        nonce = message[_NUMBER_AT : _NUMBER_AT + _NUMBER.size] + bytes((sender, 0, 0, 0))
        return cipher.encrypt(nonce, b"", message)

    return code
