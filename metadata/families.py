"""Families of revisions within one authority scope, and who follows whom.

A family is a document number, else a name without its revision marks. Nothing is guessed: members whose revisions do
not compare have no successors, and the disagreement goes to review.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.chunks import Successor
from contracts.versions import DocumentVersion, EvidenceSource, Status
from metadata.folding import fold_code, fold_name, normalise
from metadata.kinds import is_record, is_type_only
from metadata.revisions import comparable, read_name
from metadata.statuses import folder_status, name_status
from metadata.titles import stem_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Member", "chain_conflicts", "family_key", "resolve_chain"]

_COMPANION = re.compile(
    r"(?:별지|별첨|붙임|첨부|부록|annex|appendix|attachment)\s*[-_]?\s*\d*"
    r"|점검표|체크\s?리스트|양식|서식|교육\s?자료|요약본?|신구\s?대비표|대비표|해설서?|영문|국문|중문|일문|베트남어"
    r"|(?<![a-z])(?:en|eng|kor|chn|vn|jp)(?![a-z])|(?:part|파트|권)\s*\d+",
    re.IGNORECASE,
)
_MARKS_IN_NAME = re.compile(r"[\[(<【]\s*[^\])>】]{0,24}\s*[\])>】]")
_NAMELESS = re.compile(
    r"(?:문서|새\s?문서|새\s?파일|제목\s?없음|스캔|scan|img|image|photo|document|untitled|book|sheet|첨부|사진|kakaotalk|캡처|dsc|noname|통합\s?문서)[\s\d_\-()]*|[\d\W_]*",
    re.IGNORECASE,
)

_PERIOD = re.compile(r"(?:(?:19|20)\d{2}(?:년도?)?)?|개정본?|현행본?|신규|최신")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One document of a family.

    Attributes:
        document_id: Its id.
        scope_id: Its access scope.
        version: Its own metadata.
        content: Digest of its content; equal contents are copies, never rivals. "" where unknown.
        rendition: Format, where a document and its PDF of the same name and revision shall count as one; "" to compare.
        publishes: False for what hangs on a mail or lies in an archive: it may be superseded, it supersedes nothing.
    """

    document_id: str
    scope_id: str
    version: DocumentVersion
    content: str = ""
    rendition: str = ""
    publishes: bool = True

    @property
    def approved(self) -> bool:
        """Whether it may supersede others: current or unmarked, published, with a known revision."""
        return (
            self.publishes
            and bool(self.version.revision_rank)
            and self.version.status in {Status.CURRENT, Status.UNKNOWN}
        )

    @property
    def retired(self) -> bool:
        """Whether it superseded others once: obsolete by now, published, with a known revision and the day that it came into force."""
        return (
            self.publishes
            and bool(self.version.revision_rank)
            and self.version.status is Status.OBSOLETE
            and self.version.effective_date is not None
        )


def family_key(version: DocumentVersion, path: str, name: str) -> str:
    """Key that the revisions of one document share within an authority scope; "" for what stands alone.

    - ``n:…``: the document number, with what a companion's name adds (별지, 영문, 점검표 …);
    - ``t:…``: the name, else the title, without revision marks; a name that says only the kind (점검표_rev2) is
      joined with its folder, since every line has one.

    Mails stand alone; the date in a record's name (minutes, reports …) belongs to its name.
    """
    if version.document_type == "mail":
        return ""
    marks = read_name(stem_of(name))
    if version.document_number:
        rest = _without_code(marks.bare, version.document_number)
        companion = fold_name(" ".join(match.group() for match in _COMPANION.finditer(rest)))
        suffix = f":{companion}" if companion and not _is_plain(version, companion) else ""
        return f"n:{fold_code(version.document_number)}{suffix}"
    bare = marks.stem if is_record(version.document_type, name) else marks.bare
    bare = _without_status(bare)
    if _NAMELESS.fullmatch(bare):
        bare = _without_status(read_name(version.title).bare)
        if _NAMELESS.fullmatch(bare) or is_type_only(bare):
            return ""
    key = fold_name(bare)
    return f"t:{key}@{_folder_key(path)}" if is_type_only(bare) else f"t:{key}"


def _without_code(bare: str, number: str) -> str:
    """The name without the document number, however it is spelled there (``QP-EN-004`` holds an EN)."""
    spelled = r"[\s\-_./]*".join(map(re.escape, fold_code(number)))
    return re.sub(spelled, " ", bare, flags=re.IGNORECASE)


def _is_plain(version: DocumentVersion, companion: str) -> bool:
    """A form that is itself the numbered document (양식, 점검표) is no companion of it."""
    own = version.evidence and any(
        reading.field == "document_number" and reading.source is EvidenceSource.TITLE_BLOCK
        for reading in version.evidence
    )
    return bool(own) and version.document_type == "form" and companion in {"양식", "서식", "점검표"}


def _without_status(bare: str) -> str:
    flat = normalise(bare)
    for match in list(_MARKS_IN_NAME.finditer(flat)):
        if name_status(match.group()):
            flat = flat.replace(match.group(), " ")
    parts = re.split(r"([\s_\-]+)", flat)
    kept = [part for part in parts if not (part.strip(" _-") and name_status(part))]
    return normalise("".join(kept)).strip(" -_.")


def _folder_key(path: str) -> str:
    """The folders that tell one line or product from another: those of standing, revisions and years do not."""
    folders = path.replace("!/", "/").split("/")[:-1]
    return "/".join(
        fold_name(folder)
        for folder in folders
        if folder_status(folder) is None and not _PERIOD.fullmatch(read_name(folder).bare)
    )


def resolve_chain(members: Sequence[Member]) -> dict[str, tuple[Successor, ...]]:
    """For each member of one family, every newer approved member, the nearest revision first.

    Draft, obsolete and unpublished members supersede nothing; equal, unknown or incomparable revisions decide nothing
    (see :func:`chain_conflicts`). A member that is obsolete itself has newer ones that are obsolete by now, too, where they
    are dated: so it can be told until when it held. The result does not depend on the order of ``members``.
    """
    ordered = sorted(
        (member for member in members if member.approved or member.retired),
        key=lambda member: (member.version.revision_rank, member.document_id),
    )
    return {
        member.document_id: tuple(
            Successor(newer.document_id, newer.scope_id, newer.version.effective_date)
            for newer in ordered
            if _follows(newer, member)
            and (newer.approved or member.version.status is Status.OBSOLETE)
        )
        for member in sorted(members, key=lambda member: member.document_id)
    }


def chain_conflicts(members: Sequence[Member]) -> dict[str, tuple[str, ...]]:
    """What of a family goes to review: for each member, the fields that leave its place in the chain open.

    ``revision``: its revision is unknown or of another scheme while others are known, or another document of different
    content claims the same revision.
    """
    known = [member for member in members if member.version.revision_rank]
    open_ones: set[str] = set()
    for member in members:
        others = [other for other in known if other.document_id != member.document_id]
        if any(_undecided(member, other) for other in others):
            open_ones.add(member.document_id)
            open_ones |= {
                o.document_id for o in others if o.version.revision_rank and _undecided(o, member)
            }
    if not known and _numbered_rivals(members):
        open_ones = {member.document_id for member in members}
    return dict.fromkeys(sorted(open_ones), ("revision",))


def _follows(newer: Member, older: Member) -> bool:
    left, right = newer.version.revision_rank, older.version.revision_rank
    if newer.document_id == older.document_id or not comparable(left, right):
        return False
    return left > right and not _same_content(newer, older)


def _undecided(member: Member, other: Member) -> bool:
    """Whether two members' revisions leave open which is newer, though their contents differ."""
    if _same_content(member, other) or _retired(member, other):
        return False
    left, right = member.version.revision_rank, other.version.revision_rank
    if not comparable(left, right):
        return True
    return left == right and not _renditions(member, other)


def _retired(member: Member, other: Member) -> bool:
    """A member that is marked obsolete or draft already has its place."""
    settled = {Status.OBSOLETE, Status.DRAFT}
    return member.version.status in settled or other.version.status in settled


def _same_content(left: Member, right: Member) -> bool:
    return bool(left.content) and left.content == right.content


def _renditions(left: Member, right: Member) -> bool:
    return bool(left.rendition and right.rendition) and left.rendition != right.rendition


def _numbered_rivals(members: Sequence[Member]) -> bool:
    active = [m for m in members if m.version.status not in {Status.OBSOLETE, Status.DRAFT}]
    contents = {member.content or member.document_id for member in active}
    formats = {member.rendition for member in active}
    return (
        len(contents) > 1
        and all(member.version.document_number for member in active)
        and not ("" not in formats and len(formats) == len(active))
    )
