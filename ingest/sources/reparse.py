"""Reparse points: names on a Windows drive that lead elsewhere, and files whose bytes are kept elsewhere (MS-FSCC 2.1.2.1)."""

from __future__ import annotations

from contracts.outcomes import SkipReason
from contracts.sources import ListProblem, Skipped

__all__ = ["odd_point"]

_LINKS = frozenset({0xA000_000C, 0xA000_0003, 0xA000_001D})
"""Symbolic link, mount point or junction, link of a Linux subsystem."""
_SPECIAL = frozenset({0x8000_0014, 0x8000_0023, 0x8000_0024, 0x8000_0025, 0x8000_0026})
"""Of NFS, sockets, FIFOs, devices."""
_DFS = frozenset({0x8000_000A, 0x8000_0012})
_CONTENT = frozenset({0x8000_0006, 0x8000_0007, 0x8000_0013, 0x8000_0017, 0xC000_0004})
"""Archived, single-instanced, deduplicated, compressed: the server hands out the bytes as those of any other file."""
_CLOUD, _CLOUD_MASK = 0x9000_001A, 0xFFFF_0FFF


def odd_point(path: str, tag: int) -> Skipped | ListProblem | None:
    """What to say of a reparse point; None: it is a file or folder like any other."""
    if tag in _LINKS:
        return Skipped(path, SkipReason.SYMLINK)
    if tag in _SPECIAL:
        return Skipped(path, SkipReason.SPECIAL_FILE)
    if tag in _CONTENT or tag & _CLOUD_MASK == _CLOUD:
        return None
    if tag in _DFS:
        return ListProblem(
            path,
            "DFS 링크입니다: 대상을 소스로 등록하고 여기서는 exclude 에 (a DFS link: add its target as a source, and exclude it here)",
        )
    return ListProblem(path, f"알 수 없는 재분석 지점 (an unknown reparse point): {tag:#010x}")
