"""Within which folder tree revisions succeed one another (design §4).

A file outside the tree is a copy, never a successor: nobody retires an official document by saving
``SOP_rev99`` at home.
"""

from __future__ import annotations

import re

__all__ = ["authority_of"]

_STANDING = re.compile(
    r"(폐기|폐지|구버전|구판|이전|현행|유효|초안|작성중|검토|배포|승인|보관|백업|old|obsolete|archive|archived|backup|current|draft|drafts|released|approved|final|rev(ision)?s?|개정(본|이력)?)([\s_-]*(본|문서|자료|폴더|표준))?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"('?\d{2}|(19|20)\d{2})\s*(년|년도|년_자료)?")
_PERSONAL = re.compile(
    r"(개인|임시|나의|내)[\s_-]*(폴더|문서|자료|작업|작업공간|공간|보관함|용|파일)?|사용자|바탕\s*화면|다운로드"
    r"|personal|private|homes?|users?|temp|tmp|desktop|my[\s_-]*documents|downloads?|scratch",
    re.IGNORECASE,
)


def authority_of(source: str, path: str, configured: tuple[str, ...] = ()) -> str:
    """The authority scope of a path.

    Where folders are configured, the innermost configured one above the path counts, else the file stands in a
    scope of its own folder. Without configuration, the top folder counts; folders that only tell a standing or
    a year (``폐기``, ``old``, ``2024``) are looked through; a personal folder anywhere on the way is a scope of its own.

    Args:
        source: Name of the source.
        path: Relative to its root.
        configured: Folders of ``authority`` in the source's settings.
    """
    folders = path.split("/")[:-1]
    if configured:
        tops = [c.strip("/") for c in configured]
        above = [t for t in tops if not t or path.startswith(f"{t}/")]
        chosen = max(above, key=len) if above else "/".join(folders)
        return f"{source}:{chosen}"
    for depth, folder in enumerate(folders):
        if _PERSONAL.fullmatch(folder):
            return f"{source}:{'/'.join(folders[: depth + 2])}"
    official = [f for f in folders if not (_STANDING.fullmatch(f) or _YEAR.fullmatch(f))]
    return f"{source}:{official[0] if official else ''}"
