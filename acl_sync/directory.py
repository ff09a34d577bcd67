"""Several directories as one. A bare name must mean one person: where two directories know it, it must be qualified."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from contracts.errors import ConfigError, DirectoryDownError, UnknownReaderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from acl_sync.identity_map import Identity, IdentityMap
    from acl_sync.who import Who
    from contracts.access import Principal, Reader
    from contracts.settings import LdapSettings

__all__ = [
    "CombinedDirectory",
    "FindsAccounts",
    "KeepsSnapshot",
    "KnowsNames",
    "ListsPeople",
    "RealmDirectory",
    "SnapshotChange",
]

_SIGNED_IN = "oidc:"


class RealmDirectory(Protocol):
    """A directory of one realm."""

    @property
    def realm(self) -> str:
        """Its realm."""
        ...

    def reader(self, name: str) -> Reader:
        """See :class:`contracts.sources.Directory`."""
        ...

    def group(self, name: str) -> Reader:
        """See :class:`contracts.sources.Directory`."""
        ...


@runtime_checkable
class FindsAccounts(Protocol):
    """A directory that finds people by what never changes: identity maps join its accounts."""

    def account(self, principal: Principal) -> Reader | None:
        """Whoever this is; None where it is of another directory.

        Raises:
            UnknownReaderError: nobody any more, or an account that may not sign in.
            DirectoryDownError: it cannot be asked.
        """
        ...


@runtime_checkable
class KnowsNames(Protocol):
    """A directory that tells what SIDs stand for."""

    def names(self, sids: Iterable[str]) -> dict[str, str]:
        """Names by SID; what is not known is left out."""
        ...


@runtime_checkable
class ListsPeople(Protocol):
    """A directory that can say who is in it; for samples of people, never for access."""

    def people(self) -> list[str]:
        """Names of those who may sign in, without realm.

        Raises:
            DirectoryDownError: it cannot be asked.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotChange:
    """What bringing a snapshot up to date did.

    Attributes:
        whole: Everything was read, not only what has changed.
        entries: Entries that were written.
        gone: Entries that were removed.
    """

    whole: bool
    entries: int
    gone: int = 0


@runtime_checkable
class KeepsSnapshot(Protocol):
    """A directory that keeps a snapshot in the catalog, for while no server answers."""

    @property
    def realm(self) -> str:
        """Its realm."""
        ...

    @property
    def settings(self) -> LdapSettings:
        """How it is reached."""
        ...

    def refresh(self, *, whole: bool = False) -> SnapshotChange:
        """Bring the snapshot up to date.

        Raises:
            DirectoryDownError: no server answers; the snapshot stays as it is.
            LeaseLostError: another process does the same at this moment.
        """
        ...

    def check(self) -> None:
        """Ask a server for something small.

        Raises:
            DirectoryDownError: none answers.
        """
        ...


class CombinedDirectory:
    """See :class:`contracts.sources.Directory`.

    Args:
        directories: One a realm.
        cache_seconds: How long an answer serves; 0: never.
        clock: Seconds, monotonic.
        identities: Which accounts are of one person; None: none are.
    """

    def __init__(
        self,
        directories: Sequence[RealmDirectory],
        *,
        cache_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
        identities: IdentityMap | None = None,
    ) -> None:
        self._directories = tuple(directories)
        self._cache_seconds = cache_seconds
        self._clock = clock
        self._identities = identities
        self._cache: dict[tuple[str, str], tuple[float, Reader]] = {}

    def reader(self, name: str) -> Reader:
        """Resolve a user.

        Raises:
            UnknownReaderError: nobody of that name, or more than one.
            DirectoryDownError: a directory that might know the name does not answer.
            ConfigError: two directories claim the same realm.
        """
        return self._kept("reader", name, self._person)

    def group(self, name: str) -> Reader:
        """Resolve a group.

        Raises:
            UnknownReaderError: no group of that name, or more than one.
        """
        return self._kept("group", name, lambda name: self._one("group", name))

    def names(self, principals: Iterable[Principal]) -> dict[Principal, str]:
        """What SIDs stand for, as ``NAME@realm``, for people to read; what is not known is left out."""
        sids = sorted({p.removeprefix("sid:") for p in principals if p.startswith("sid:")})
        found: dict[Principal, str] = {}
        for directory in self._directories:
            if sids and isinstance(directory, KnowsNames):
                names = directory.names(sids)
                found |= {f"sid:{sid}": f"{n}@{directory.realm}" for sid, n in names.items()}
        return found

    def who(self, principals: Iterable[Principal]) -> Who:
        """Whom principals stand for, and which no directory knows."""
        from acl_sync.who import who_are

        return who_are(self._directories, principals)

    def people(self) -> list[str]:
        """Everybody whom directories list, as ``NAME@realm``, sorted; those of a directory that is down are left out."""
        found: set[str] = set()
        for directory in self._directories:
            if isinstance(directory, ListsPeople):
                with contextlib.suppress(DirectoryDownError):
                    found.update(f"{name}@{directory.realm}" for name in directory.people())
        return sorted(found)

    def reasons(self, name: str) -> dict[str, str]:
        """Why each directory says that a name is nobody, by realm: for operators, who may know."""
        found: dict[str, str] = {}
        for directory in self._directories:
            realm = "?"  # a directory.yaml that cannot be read says not even whose it is
            try:
                realm = directory.realm
                directory.reader(name)
            except (UnknownReaderError, DirectoryDownError) as problem:
                found[realm] = str(problem)
        return found

    def _kept(self, kind: str, name: str, resolve: Callable[[str], Reader]) -> Reader:
        kept = self._cache.get((kind, name))
        if kept is not None and self._clock() - kept[0] < self._cache_seconds:
            return kept[1]
        self._cache.pop((kind, name), None)
        asked_at = self._clock()
        found = resolve(name)
        self._cache[kind, name] = (asked_at, found)
        return found

    def _person(self, name: str) -> Reader:
        if self._identities is None:
            return self._one("reader", name)
        if name.startswith(_SIGNED_IN):
            return self._signed_in(name, self._identities)
        found = self._one("reader", name)
        person = self._identities.of(found.account)
        return found if person is None else self._joined(found, person)

    def _signed_in(self, name: str, identities: IdentityMap) -> Reader:
        """Somebody by who they signed in as: all of their accounts that still are."""
        person = identities.of(frozenset({name}))
        alive = [] if person is None else [r for p in person.accounts for r in self._accounts(p)]
        if person is None or not alive:
            raise _unknown(name)
        return self._joined(replace(alive[0], name=name), person)

    def _joined(self, reader: Reader, person: Identity) -> Reader:
        """With everything that the person's other accounts may be named by; those that are closed add nothing."""
        principals = {*reader.principals, *person.mailboxes}
        account = {*reader.account, *person.mailboxes}
        for principal in person.accounts:
            if principal not in reader.account:
                for other in self._accounts(principal):
                    principals |= other.principals
                    account |= other.account
        return replace(reader, principals=frozenset(principals), account=frozenset(account))

    def _accounts(self, principal: Principal) -> list[Reader]:
        found = []
        for directory in self._directories:
            if isinstance(directory, FindsAccounts):
                try:
                    one = directory.account(principal)
                except UnknownReaderError:
                    continue
                if one is not None:
                    found.append(one)
        return found

    def _one(self, kind: str, name: str) -> Reader:
        found: list[tuple[str, Reader]] = []
        down: DirectoryDownError | None = None
        realms: list[str] = []
        for directory in self._directories:
            try:
                realms.append(directory.realm)
                found.append((directory.realm, getattr(directory, kind)(name)))
            except UnknownReaderError:
                continue
            except DirectoryDownError as problem:
                down = problem
        if repeated := {realm for realm in realms if realms.count(realm) > 1}:
            # else one of them could make people members of the other's groups
            raise ConfigError(
                f"두 디렉터리가 같은 realm 을 씁니다 (two directories claim one realm): {', '.join(repeated)}"
            )
        if down is not None and not any(name.endswith(f"@{realm}") for realm, _ in found):
            raise down  # whoever it is, the other directory might know another one of that name
        if not found:
            raise _unknown(name)
        if len(found) > 1 and not self._same_person([reader for _, reader in found]):
            choices = ", ".join(f"{name}@{realm}" for realm, _ in found)
            raise UnknownReaderError(
                f"{name}: 여러 디렉터리에 있습니다 (in more than one directory)", advice=choices
            )
        return found[0][1]

    def _same_person(self, readers: Sequence[Reader]) -> bool:
        """Whether all of them are accounts of one person, who is joined from any of them."""
        if self._identities is None:
            return False
        first = self._identities.of(readers[0].account)
        return first is not None and all(
            self._identities.of(reader.account) is first for reader in readers[1:]
        )


def _unknown(name: str) -> UnknownReaderError:
    return UnknownReaderError(
        f"{name}: 알 수 없는 사용자 또는 그룹입니다 (unknown)",
        advice="directory.yaml, 계정, 디렉터리 서버를 확인하세요 (check directory.yaml, accounts, directory servers)",
    )
