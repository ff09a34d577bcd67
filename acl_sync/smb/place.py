"""What a ``smb:`` address names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from contracts.settings import SourceSettings

__all__ = ["PORT", "Place", "place_of"]

PORT = 445


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of a share; ``folder`` is "" for all of it, its parts are joined by ``/``."""

    host: str
    port: int
    share: str
    folder: str

    def address(self, path: str) -> str:
        """What a person would open, for a path below it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORT else f":{self.port}"
        parts = [part for part in (self.share, self.folder, path) if part]
        return f"smb://{host}{port}/{quote('/'.join(parts), errors='surrogatepass')}"


def place_of(settings: SourceSettings) -> Place:
    """The place of an SMB source.

    Raises:
        ConfigError: its ``url`` is not ``smb://HOST[:PORT]/SHARE[/FOLDER]``.
    """
    parts = urlsplit(settings.url)
    try:
        port = PORT if parts.port is None else parts.port
    except ValueError:
        port = 0
    share, _, folder = unquote(parts.path).strip("/").partition("/")
    names = folder.split("/") if folder else []
    wrong = parts.scheme != "smb" or not parts.hostname or not share or not port
    if wrong or parts.username or {"", ".", ".."} & set(names) or "\\" in unquote(parts.path):
        raise ConfigError(
            f"source {settings.name}: url {settings.url!r} 을(를) 읽을 수 없습니다 (cannot be read)",
            advice="smb://HOST[:PORT]/SHARE[/FOLDER]; 계정은 user 에 (the account goes to `user`)",
        )
    return Place(parts.hostname or "", port, share, folder)
