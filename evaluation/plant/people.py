"""Departments, nested groups, people who moved or left during the year, and who may read what.

The lists are written as ``acl.yaml`` and ``directory.yaml``; :meth:`Rights.may_read` evaluates them here, apart from the product's own
readers, so that a leak shows.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

__all__ = ["DEPARTMENTS", "DOMAIN", "Department", "Person", "Rights", "make_people"]

REALM = "seum"
DOMAIN = "seum.example"
_SURNAMES = (
    ("김", "kim"), ("이", "lee"), ("박", "park"), ("최", "choi"), ("정", "jung"), ("강", "kang"), ("조", "cho"), ("윤", "yoon"), ("장", "jang"),
    ("임", "lim"), ("한", "han"), ("오", "oh"), ("서", "seo"), ("신", "shin"), ("권", "kwon"), ("황", "hwang"), ("안", "ahn"), ("송", "song"),
)  # fmt: skip
_GIVEN = (
    "민준", "서연", "도윤", "지우", "하준", "수빈", "현우", "예린", "성민", "다은", "재호", "유나", "태경", "혜진", "동현", "보라", "상훈", "미경",
    "준석", "은주", "영호", "선영", "기태", "나래", "종혁", "소라", "병철", "정아", "광수", "희선",
)  # fmt: skip
_RANKS = ("사원", "대리", "과장", "차장", "부장")


@dataclass(frozen=True, slots=True)
class Department:
    """A department: its name, the group of its people, and the group that this one belongs to."""

    name: str
    group: str
    above: str


DEPARTMENTS = (
    Department("생산기술팀", "prodtech", "production"),
    Department("생산1팀", "make1", "production"),
    Department("생산2팀", "make2", "production"),
    Department("설비보전팀", "maint", "production"),
    Department("품질보증팀", "qa", "quality"),
    Department("수입검사팀", "iqc", "quality"),
    Department("설계팀", "design", "research"),
    Department("구매팀", "purchase", "business"),
    Department("영업팀", "sales", "business"),
    Department("안전환경팀", "safety", "staff"),
    Department("인사총무팀", "hr", "staff"),
    Department("경영기획팀", "plan", "staff"),
)
_ABOVE = {"production": "staff", "quality": "staff", "research": "staff", "business": "staff"}
_NAMES = {"production": "생산본부", "quality": "품질본부", "research": "연구소", "business": "영업구매본부",
          "staff": "전 직원", "management": "임원", "vendor": "상주 협력사"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody.

    Attributes:
        account: As in the directory.
        name: In Korean.
        department: Where they work now; None for people of suppliers.
        groups: Direct ones.
        left: Whether they have left: the account is disabled.
        came_from: Group of the department that they were moved from during the year, or "".
    """

    account: str
    name: str
    department: Department | None
    groups: tuple[str, ...]
    left: bool = False
    came_from: str = ""

    @property
    def mail(self) -> tuple[str, str]:
        """Name and address."""
        return self.name, f"{self.account}@{DOMAIN}"


def make_people(rng: random.Random, count: int) -> tuple[Person, ...]:
    """People of every department, some moved, some gone, some of suppliers; at least 48."""
    people = []
    for number in range(max(48, count)):
        surname, latin = _SURNAMES[(number * 7 + rng.randrange(3)) % len(_SURNAMES)]
        given = _GIVEN[(number * 11 + rng.randrange(5)) % len(_GIVEN)]
        account = f"{latin}{number + 11:02d}"
        if number % 16 == 15:
            people.append(Person(account, surname + given, None, ("vendor",)))
            continue
        department = DEPARTMENTS[number % len(DEPARTMENTS)]
        groups = [department.group]
        moved = DEPARTMENTS[(number * 5 + 3) % len(DEPARTMENTS)] if number % 9 == 4 else None
        if number % 14 == 11:
            groups.append("management")
        people.append(
            Person(
                account, surname + given, department, tuple(groups),
                left=number % 13 == 12,
                came_from=moved.group if moved and moved is not department else "",
            )
        )  # fmt: skip
    return tuple(people)


Entry = tuple[bool, str]
"""Whether it allows, and whom: ``everyone``, ``group:…`` or ``user:…``."""


class Rights:
    """The lists of the drive.

    Args:
        people: Everybody.
    """

    def __init__(self, people: tuple[Person, ...]) -> None:
        self.people = people
        self._by_account = {person.account: person for person in people}
        self._closures = {person.account: self._closure(person) for person in people}
        self._readers: dict[str, tuple[Person, ...]] = {}
        self.folders: dict[str, tuple[bool, tuple[Entry, ...]]] = {}
        self._lists(people)

    def _lists(self, people: tuple[Person, ...]) -> None:
        quality = [p for p in people if "qa" in p.groups and not p.left]
        maint = [p for p in people if "maint" in p.groups and not p.left]

        def allow(*names: str) -> tuple[Entry, ...]:
            return tuple((True, f"group:{name}") for name in names)

        self.folders = {
            "": (False, allow("staff")),
            "품질/8D": (False, ((False, f"user:{quality[0].account}"), *allow("quality", "management"))),
            "구매/단가": (False, allow("purchase", "management")),
            "설계/신차개발": (False, allow("research", "management")),
            "경영/인사": (False, allow("hr")),
            "경영/임원회의": (False, allow("management")),
            "영업/견적": (False, ((False, "group:purchase"), *allow("business", "management"))),
            "설비": (True, ((False, f"user:{maint[-1].account}"),)),
            "안전환경/사고조사": (False, allow("safety", "production")),
        }  # fmt: skip
        for department in DEPARTMENTS:
            self.folders[f"메일/{department.name}"] = (False, allow(department.group, "management"))

    def may_read(self, account: str, path: str) -> bool:
        """Whether a person may read what lies at a path; what lies in a container has the container's list."""
        path = path.partition("!/")[0]
        person = self._by_account.get(account)
        if person is None or person.left or "group:vendor" in self._closures[account]:
            return False
        folder = path.rpartition("/")[0]
        while folder not in self.folders:
            folder = folder.rpartition("/")[0]
        entries: tuple[Entry, ...] = ()
        while True:
            inherit, own = self.folders.get(folder, (True, ()))
            entries += own
            if not inherit or not folder:
                return self._decides(account, entries)
            folder = folder.rpartition("/")[0]

    def readers(self, path: str) -> tuple[Person, ...]:
        """Who may read what lies at a path."""
        path = path.partition("!/")[0]
        key = path.rpartition("/")[0]
        if key not in self._readers:
            self._readers[key] = tuple(p for p in self.people if self.may_read(p.account, path))
        return self._readers[key]

    def _decides(self, account: str, entries: tuple[Entry, ...]) -> bool:
        held = self._closures[account]
        return next((allows for allows, who in entries if who in held), False)

    @staticmethod
    def _closure(person: Person) -> frozenset[str]:
        above = {d.group: d.above for d in DEPARTMENTS} | _ABOVE
        found = {"everyone", f"user:{person.account}"}
        for group in person.groups:
            at: str | None = group
            while at:
                found.add(f"group:{at}")
                at = above.get(at)
        return frozenset(found)

    def acl_yaml(self) -> str:
        """The lists as a file."""
        lines = [
            f"realm: {REALM}",
            "share:",
            "  - deny: group:vendor",
            "  - allow: everyone",
            "folders:",
        ]
        lines += [line for path, rule in self.folders.items() for line in _rule(path, rule)]
        return "\n".join(lines) + "\n"

    def directory_yaml(self) -> str:
        """People and groups as they are at the end of the year."""
        lines = [f"realm: {REALM}", "users:"]
        for person in self.people:
            left = ", disabled: true" if person.left else ""
            groups = ", ".join(person.groups)
            lines.append(f"  {person.account}: {{name: {person.name}, groups: [{groups}]{left}}}")
        lines.append("groups:")
        lines += [
            f"  {department.group}: {{name: {department.name}, groups: [{department.above}]}}"
            for department in DEPARTMENTS
        ]
        for group, name in _NAMES.items():
            above = f", groups: [{_ABOVE[group]}]" if group in _ABOVE else ""
            lines.append(f"  {group}: {{name: {name}{above}}}")
        return "\n".join(lines) + "\n"


def _rule(path: str, rule: tuple[bool, tuple[Entry, ...]]) -> list[str]:
    inherit, entries = rule
    listed = [f"{'allow' if allows else 'deny'}: {who}" for allows, who in entries]
    if inherit:
        return [
            f'  "{path}":',
            "    inherit: true",
            "    entries:",
            *(f"      - {e}" for e in listed),
        ]
    return [f'  "{path}":', *(f"    - {e}" for e in listed)]
