"""TLS with a directory server, by the rules of this Python."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING, Any

import ldap3

if TYPE_CHECKING:
    from contracts.settings import LdapSettings

__all__ = ["CheckedTls"]


class CheckedTls(ldap3.Tls):  # type: ignore[misc]  # ldap3 has no types
    """TLS by the rules of this Python: chain and host name are checked during the handshake (RFC 4513 3.1.3)."""

    def __init__(self, host: str, settings: LdapSettings) -> None:
        super().__init__(validate=ssl.CERT_REQUIRED)
        self._host = host
        self._settings = settings
        self.problem = ""
        self.advice = ""

    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  its signature
        """Shake hands over the connection's socket."""
        plain: socket.socket = connection.socket
        try:
            context = ssl.create_default_context(cafile=self._settings.ca_file)
            plain.settimeout(self._settings.timeout_seconds)
            connection.socket = context.wrap_socket(plain, server_hostname=self._host)
        except ssl.SSLCertVerificationError as problem:
            self.problem = (
                "서버의 인증서를 믿을 수 없습니다 (the server's certificate is not trusted): "
                f"{problem.verify_message}"
            )
            self.advice = (
                "ca_file 에 서명한 인증서를, urls 에 인증서에 적힌 이름을 적으세요 "
                "(ca_file: who signed it; urls: the name that it was issued for)"
            )
            raise
        except (ssl.SSLError, OSError) as problem:
            self.problem = f"TLS 연결을 맺지 못했습니다 (no TLS connection): {problem}"
            raise
        connection.socket.settimeout(None)
