"""What a server says of its share and of its own groups, or what the operator says where it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from acl_sync.nt.descriptors import read_descriptor
from acl_sync.nt.gates import LocalGroups, read_gate
from acl_sync.smb.lsa import account_domain
from acl_sync.smb.rpc import RpcError
from acl_sync.smb.samr import local_groups
from acl_sync.smb.srvsvc import share_descriptor
from contracts.access import AccessEntry, Effect, Gate
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from acl_sync.smb.drive import Drive
    from acl_sync.smb.line import Line
    from contracts.settings import SourceSettings

__all__ = ["local_groups_of", "share_gates"]

_SHARE = "share"
_DOMAINS = "S-1-5-21-"
_WELL_KNOWN = {
    "everyone": "S-1-1-0",
    "authenticated users": "S-1-5-11",
    "network": "S-1-5-2",
}
_KINDS = frozenset({"sid", "user", "group"})

_log = structlog.get_logger()


def share_gates(settings: SourceSettings, drive: Drive) -> tuple[Gate, ...]:
    """The gates of a share: as the server says, and as the operator says, joined by AND where both do.

    Raises:
        ConfigError: neither says anything, or the operator's list cannot be read.
    """
    told = _configured(settings)
    found: list[Gate] = []
    try:
        data = share_descriptor(drive.line(), drive.target.share)
        if data:
            found.append(read_gate(read_descriptor(data), _SHARE))
    except (RpcError, ValueError) as problem:
        _log.info("share_permissions_unreadable", source=settings.name, problem=str(problem))
    if told is not None:
        found.append(told)
    if not found:
        raise ConfigError(
            f"source {settings.name}: 공유 권한을 읽을 수 없어 아무도 볼 수 없습니다 "
            "(the share's own permissions cannot be read, so nobody may see anything)",
            advice='서버에서 확인해 acl.share 에 적으세요 (write them down): share = ["allow sid:S-1-1-0"] 또는 --share-entry; '
            "또는 이 계정에 공유 정보를 읽을 권한을 (or let the account read them)",
        )
    return tuple(found)


def local_groups_of(line: Line) -> LocalGroups:
    """The groups that a server has of its own, as far as it tells."""
    own, controller = _DOMAINS, False
    try:
        own, controller = account_domain(line)
        own += "-"
        members = local_groups(line, accounts=not controller)
    except (RpcError, ValueError) as problem:
        _log.warning("local_groups_unreadable", server=line.host, problem=str(problem))
        return LocalGroups(line.host, {}, () if controller else (own,))
    return LocalGroups(line.host, members)


def _configured(settings: SourceSettings) -> Gate | None:
    if not settings.acl.share:
        return None
    return Gate(_SHARE, tuple(_entry(settings, line) for line in settings.acl.share))


def _entry(settings: SourceSettings, line: str) -> AccessEntry:
    effect, _, who = line.strip().partition(" ")
    who = who.strip()
    sid = _WELL_KNOWN.get(who.lower())
    principal = f"sid:{sid}" if sid else who
    kind, _, name = principal.partition(":")
    if effect not in {"allow", "deny"} or kind not in _KINDS or not name:
        raise ConfigError(
            f"source {settings.name}: acl.share: {line!r}",
            advice="allow|deny 와 sid:S-…, Everyone, Authenticated Users, user:이름@realm, group:이름@realm",
        )
    return AccessEntry(Effect(effect), principal, label=line.strip())
