"""Addresses of LDAP services. Passwords never travel in the clear."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from contracts.settings import LdapSettings

__all__ = ["Address", "address_of"]

_PORTS = {"ldap": 389, "ldaps": 636}


@dataclass(frozen=True, slots=True)
class Address:
    """One server: host name, port, and whether TLS comes first."""

    host: str
    port: int
    ssl: bool

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'ldaps' if self.ssl else 'ldap'}://{host}:{self.port}"


def address_of(url: str, settings: LdapSettings) -> Address:
    """The address that a URL stands for.

    Raises:
        ConfigError: it is none, or would carry passwords in the clear to another machine.
    """
    where = f"directory.ldap {settings.name}: urls: {url!r}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as problem:
        raise ConfigError(f"{where}: {problem}") from problem
    if parts.scheme not in _PORTS or not host or parts.path.strip("/") or parts.username:
        raise ConfigError(f"{where}: ldaps://HOST[:PORT] 이어야 합니다 (must look like that)")
    if parts.scheme == "ldap" and not settings.start_tls and not _loopback(host):
        raise ConfigError(
            f"{where}: 암호화되지 않습니다 (is not encrypted)",
            advice="ldaps:// 또는 start_tls = true (use one of them)",
        )
    return Address(host, port or _PORTS[parts.scheme], parts.scheme == "ldaps")


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
