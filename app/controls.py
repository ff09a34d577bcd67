"""Which permissions a source follows: decided when it is first read, and kept until somebody decides anew.

``acl.yaml`` and ``directory.yaml`` at a root are looked for once. Were they looked for with every run, then whoever may
write to the root could put them there and give themselves rights, or remove them and have others' rights fall back to
the file system's.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from contracts.settings import SourceSettings

if TYPE_CHECKING:
    from catalog.catalog import Catalog

__all__ = [
    "Controls",
    "check_overlaps",
    "controls_of",
    "decide",
    "difference",
    "forget",
    "invents_modes",
]

_LISTS, _PEOPLE = "acl.yaml", "directory.yaml"
_INVENTED = frozenset(
    {"cifs", "smb3", "smbfs", "vfat", "msdos", "exfat", "ntfs", "ntfs3", "fuseblk", "drvfs"}
)
"""File systems whose modes are made up by the mount: they say nothing of who may read there."""


@dataclass(frozen=True, slots=True)
class Controls:
    """What was decided for a source.

    Attributes:
        root: Its root then.
        lists: Registry name of the permission reader.
        people: Whether ``directory.yaml`` at the root counts.
    """

    root: str
    lists: str
    people: bool


def controls_of(catalog: Catalog, settings: SourceSettings) -> Controls | None:
    """What was decided for a source and its present root, or None where nothing was."""
    stored = catalog.meta.get(_key(settings.name))
    if not stored:
        return None
    found = Controls(**json.loads(stored))
    if found.root != settings.place:
        return None
    kind = settings.acl.kind
    return found if kind == "auto" else Controls(found.root, kind, found.people)


def decide(catalog: Catalog, settings: SourceSettings, *, anew: bool = False) -> Controls:
    """What was decided for a source; where nothing was, or ``anew``, what lies at its root now decides.

    Raises:
        ConfigError: there is no list, and the file system has no permissions of its own.
    """
    known = None if anew else controls_of(catalog, settings)
    if known is not None:
        return known
    people = settings.is_folder and (settings.folder / _PEOPLE).is_file()
    found = Controls(settings.place, _lists_now(settings), people)
    catalog.meta.set(_key(settings.name), json.dumps(asdict(found)))
    return found


def forget(catalog: Catalog, name: str) -> None:
    """Forget what was decided for a source that is removed."""
    catalog.meta.delete(_key(name))


def difference(settings: SourceSettings, controls: Controls) -> str:
    """What lies at the root against what was decided, in one line; "" where they agree.

    Files that are gone are noticed where they are read.
    """
    if not settings.is_folder:
        return ""
    acl = settings.acl
    ignored = []
    if controls.lists != "yaml" and acl.kind == "auto" and (settings.folder / _LISTS).exists():
        ignored.append(_LISTS)
    if not controls.people and (settings.folder / _PEOPLE).exists():
        ignored.append(_PEOPLE)
    if not ignored:
        return ""
    return (
        f"{', '.join(ignored)} 이(가) 루트에 생겼지만 쓰지 않습니다 (appeared at the root, not used). "
        f"맞으면 (if it is right): seoga source accept {settings.name}"
    )


def check_overlaps(catalog: Catalog, settings: SourceSettings) -> None:
    """Make sure that no other source holds the same documents.

    Raises:
        ConfigError: the root lies within another source's or around it: its documents would be there twice,
            perhaps with other permissions.
    """
    for record in catalog.sources.list():
        other = SourceSettings.model_validate(dict(record.config))
        if record.name != settings.name and _nested(settings, other):
            raise ConfigError(
                f"{settings.place}: 소스 {record.name} ({other.place}) 와 겹칩니다 (overlaps another source)",
                advice=f"seoga ingest {record.name}",
            )


def _nested(one: SourceSettings, other: SourceSettings) -> bool:
    if one.is_folder and other.is_folder:
        a, b = one.folder.resolve(), other.folder.resolve()
        return a.is_relative_to(b) or b.is_relative_to(a)
    if one.kind != other.kind or (one.kind == "imap" and one.user != other.user):
        return False  # every account of a mail server has mailboxes of its own
    a_url, b_url = (f"{s.place.rstrip('/')}/".casefold() for s in (one, other))
    return a_url.startswith(b_url) or b_url.startswith(a_url)


def invents_modes(file_system: str) -> bool:
    """Whether the modes of files there are those of the mount, not those that the server checks."""
    return file_system.lower() in _INVENTED


def _lists_now(settings: SourceSettings) -> str:
    from ingest.sources.probing import file_system_of

    acl = settings.acl
    if acl.kind != "auto":
        return acl.kind
    if not settings.is_folder:
        return "yaml" if acl.file else settings.kind
    if acl.file or (settings.folder / _LISTS).exists():
        return "yaml"
    kind = file_system_of(settings.folder)
    if invents_modes(kind):
        raise ConfigError(
            f"source {settings.name}: {kind} 마운트의 모드는 실제 권한이 아닙니다 (its modes are made up by the mount)",
            advice='acl.file 을 지정하거나, 실제 권한이면 acl.kind = "posix" (name an acl.file, or say that they are real)',
        )
    return "posix"


def _key(name: str) -> str:
    return f"controls.{name}"
