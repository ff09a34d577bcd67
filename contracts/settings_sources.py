"""Settings of sources, their permissions, and the directories that know people."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from contracts.errors import ConfigError
from contracts.settings_group import Group

__all__ = ["AclSettings", "DirectorySettings", "LdapSettings", "SourceSettings"]


class LdapSettings(Group):
    """One directory service: an Active Directory domain, or an OpenLDAP tree."""

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$",
        description="Realm of its people and groups, as in `group:qa@NAME`.",
    )
    kind: Literal["ad", "openldap"] = "ad"
    urls: tuple[str, ...] = Field(
        description="`ldaps://HOST[:PORT]`, tried in this order; `ldap://` only with `start_tls` or on loopback."
    )
    base: str = Field(description="Where searches begin: `DC=plant,DC=example`.")
    user: str = Field(default="", description="Account that searches: a DN, or `name@domain`.")
    password_file: Path | None = Field(default=None, description="File with its password.")
    ca_file: Path | None = Field(
        default=None, description="Certificate that signed the server's; None: those of the system."
    )
    start_tls: bool = False
    timeout_seconds: float = Field(default=10.0, gt=0, description="One request.")
    page_size: int = Field(default=500, ge=1, le=5000, description="Entries of one answer.")
    grace_seconds: float = Field(
        default=3600.0,
        ge=0,
        description="How long the last snapshot serves while no server answers; then nobody is anybody.",
    )
    snapshot_schedule: str = Field(
        default="every 10m", description="When the snapshot is brought up to date."
    )
    user_attribute: str = Field(
        default="", description="What a query's name is looked up by; empty: the kind's usual ones."
    )
    id_attribute: str = Field(
        default="", description="OpenLDAP: immutable id of an entry; empty: `entryUUID`."
    )


class DirectorySettings(Group):
    """Where people and groups are looked up."""

    files: tuple[Path, ...] = ()
    local_accounts: bool = True
    cache_seconds: float = Field(default=60.0, ge=0)
    ldap: tuple[LdapSettings, ...] = ()
    identity_map: Path | None = Field(
        default=None,
        description="File that joins accounts of several realms by immutable ids (docs/operations.md).",
    )


def _inside(path: str) -> bool:
    parts = Path(path).parts
    return not Path(path).is_absolute() and bool(parts) and ".." not in parts


class AclSettings(Group):
    """Permissions of one source."""

    kind: str = Field(
        default="auto",
        description="`posix`, `yaml`, `smb`, `imap`; `auto`: what the kind of source has: a folder acl.yaml where there is one, else posix.",
    )
    file: Path | None = None
    realm: str = ""
    above_root: bool = Field(
        default=True, description="POSIX: search permission on the folders above the root counts."
    )
    share: tuple[str, ...] = Field(
        default=(),
        description="SMB: the share's list where the account may not read it: `allow sid:S-1-5-11`, in order; empty then: nobody.",
    )


class SourceSettings(Group):
    """One configured source."""

    name: str = Field(pattern=r"^[a-z0-9가-힣][a-z0-9가-힣._-]{0,63}$")
    kind: str = "filesystem"
    root: Path | None = Field(default=None, description="Folder of a `filesystem` source.")
    url: str = Field(
        default="",
        description="Place of any other: `smb://HOST[:PORT]/SHARE[/FOLDER]`, `imaps://HOST[:PORT][/FOLDER]`.",
    )
    user: str = Field(default="", description="Account that reads it: `name@DOMAIN`.")
    password_file: Path | None = Field(default=None, description="File with its password.")
    ca_file: Path | None = Field(
        default=None, description="Certificate that signed the server's; None: those of the system."
    )
    encrypt: bool = Field(default=True, description="SMB: encrypt what is read.")
    timeout_seconds: float = Field(default=30.0, gt=0, description="One request to its server.")
    owner: str = Field(
        default="", description="Who answers for it: a person or team, for people to read."
    )
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    marker: str = ""
    authority: tuple[str, ...] = Field(
        default=(), description="Folders that are each an authority scope; empty: the whole source."
    )
    deletion_guard_share: float = Field(default=0.2, gt=0, le=1)
    deletion_guard_items: int = Field(default=50, ge=1)
    content_schedule: str = Field(default="", description="`every 1h` or a cron line; empty: none.")
    permission_schedule: str = Field(default="every 5m")
    full_permission_schedule: str = Field(
        default="every 7d",
        description="When a run reads every list, whatever the change times say; empty: only when asked.",
    )
    canary: str = Field(
        default="",
        description="Folder below the root where a document of Seoga's own is written, closed and opened again, to measure revocation; empty: none. POSIX permissions only.",
    )
    canary_reader: str = Field(
        default="", description="Account, not the file's owner, that searches find it as."
    )
    canary_schedule: str = Field(default="every 1h", description="When it is closed.")
    fetch_per_second: float = Field(
        default=0.0, ge=0, description="Files fetched a second, all workers together; 0: no limit."
    )
    fetch_burst: int = Field(default=10, ge=1, description="Files fetched at once after a rest.")
    acl: AclSettings = Field(default_factory=AclSettings)

    @model_validator(mode="after")
    def _one_place(self) -> SourceSettings:
        if self.kind == "filesystem":
            if self.root is None or not self.root.expanduser().is_absolute():
                msg = f"소스 {self.name}: root 는 절대 경로여야 합니다 (must be an absolute path)"
                raise ValueError(msg)
            if self.canary and (not self.canary_reader or not _inside(self.canary)):
                msg = f"소스 {self.name}: canary 는 루트 아래의 폴더이고 canary_reader 가 필요합니다 (a folder below the root; needs a canary_reader)"
                raise ValueError(msg)
            if self.url:
                msg = f"소스 {self.name}: url 은 폴더 소스의 것이 아닙니다 (a folder has a root, no url)"
                raise ValueError(msg)
        elif self.canary:
            msg = f"소스 {self.name}: canary 는 폴더 소스의 것입니다 (of folder sources only)"
            raise ValueError(msg)
        elif self.root is not None or "://" not in self.url:
            msg = (
                f"소스 {self.name}: kind = {self.kind} 는 url 이 필요합니다 (needs a url, no root)"
            )
            raise ValueError(msg)
        return self

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of this machine, with what may lie in it: ``acl.yaml``, ``directory.yaml``."""
        return self.root is not None

    @property
    def folder(self) -> Path:
        """The root of a folder source.

        Raises:
            ConfigError: it is another kind of source.
        """
        if self.root is None:
            raise ConfigError(f"source {self.name}: kind {self.kind} has no folder on this machine")
        return self.root.expanduser()

    @property
    def place(self) -> str:
        """Where it is, in one line."""
        return self.url or str(self.root)

    def resolved(self) -> SourceSettings:
        """With a root that is a link replaced by what it stands for now, so that it means one folder throughout."""
        if self.root is None:
            return self
        return self.model_copy(update={"root": self.folder.resolve()})
