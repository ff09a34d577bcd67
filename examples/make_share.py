"""Make the example drive: ``python examples/make_share.py OUT``.

A small shared drive of 한빛정밀, a fictional parts maker, with consistent facts, ``acl.yaml`` and
``directory.yaml`` at its root. The same program versions give the same bytes. ``golden.jsonl`` beside this script asks questions about it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from share_records import management, notices, quality, sales
from share_standards import design, production

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["make_share"]

_MODIFIED = 1_712_000_000
"""Modification time of every file: 2 April 2024."""

ACL = """\
# 접근 목록 (access lists). 폴더의 목록은 상위에서 내려오는 것을 대신한다.
# A folder's list replaces what it would inherit; the nearest folder above decides; no list: nobody.
realm: hanbit
share:
  - allow: everyone            # 공유 자체는 열려 있고 폴더가 결정한다 (the share is open, the folders decide)
folders:
  "":
    - allow: group:staff       # 전 직원 (all staff)
  품질/8D:
    - deny: user:choi          # 품질보증팀이지만 8D 는 볼 수 없다 (in quality, yet denied here)
    - allow: group:quality
  영업/메일:
    - allow: user:kim
    - allow: group:management
  경영:
    - allow: group:management
  생산/설비:
    inherit: true              # 위의 목록에 더한다 (added to what is inherited)
    entries:
      - deny: user:park
files:
  영업/고객요구사항_미래자동차.md:
    - allow: group:quality
    - allow: group:management
"""

DIRECTORY = """\
# 사람과 그룹 (people and groups)
realm: hanbit
users:
  kim: {name: 김하늘, groups: [quality]}
  choi: {name: 최유진, groups: [quality]}
  lee: {name: 이정민, groups: [production, staff]}
  park: {name: 박도윤, groups: [staff]}
  seo: {name: 서민재, groups: [management, staff]}
groups:
  staff: {name: 전 직원}
  quality: {name: 품질보증팀, groups: [staff]}   # 품질보증팀은 전 직원에 속한다 (nested: quality is in staff)
  production: {name: 생산기술팀}
  management: {name: 경영진}
"""


def make_share(target: Path) -> int:
    """Write the drive below ``target``, which is made where it is missing.

    Returns:
        Number of documents, control files and the office lock file not counted.
    """
    count = 0
    for path, data in _documents():
        _write(target / path, data)
        count += 1
    # what an office program leaves while a file is open: a name, padded
    owner = "이정민".encode("utf-16-le")
    _write(
        target / "생산/작업표준/~$-MC-014_세척작업표준_rev3.docx",
        (b"\x03" + owner).ljust(162, b"\x00"),
    )
    _write(target / "acl.yaml", ACL.encode())
    _write(target / "directory.yaml", DIRECTORY.encode())
    return count


def _documents() -> Iterator[tuple[str, bytes]]:
    for department in (production, design, quality, sales, notices, management):
        yield from department()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (_MODIFIED, _MODIFIED))


def main() -> int:
    """Command line."""
    if len(sys.argv) != 2:  # noqa: PLR2004  one argument
        print("usage: make_share.py OUT", file=sys.stderr)
        return 2
    target = Path(sys.argv[1])
    print(f"{make_share(target)} documents in {target}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
