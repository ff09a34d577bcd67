"""A request of one person, and what a page answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from catalog.records import QueryRecord
from catalog.times import utc_now
from contracts.errors import NotFoundError
from dashboard.sight import Sight

if TYPE_CHECKING:
    from catalog.sessions import SessionRecord
    from dashboard.desk import Desk
    from dashboard.figures import Figures
    from dashboard.roles import Role
    from dashboard.words import Words

__all__ = ["CHANNEL", "ROOT", "File", "Handler", "Page", "Person", "Redirect", "Visit", "whole"]

ROOT = "/ops"
_DIGITS = 15
CHANNEL = "ops"
"""Channel of the audit log for what people do here."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who is logged in, and as what."""

    session: SessionRecord
    roles: frozenset[Role]

    @property
    def name(self) -> str:
        """As the directories know them."""
        return self.session.reader


@dataclass(kw_only=True)
class Visit:
    """One request.

    Attributes:
        desk: What the pages work with.
        figures: Numbers that are too dear to count for each request.
        words: The language of the person.
        theme: ``auto``, ``light`` or ``dark``.
        path: Values of the path.
        query: Values of the query string.
        form: Values of the form, those that are repeated in order.
        person: Who asks; None before the login.
        here: The page below ``/ops`` with its query, "/" for actions.
    """

    desk: Desk
    figures: Figures
    words: Words
    theme: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, list[str]] = field(default_factory=dict)
    person: Person | None = None
    here: str = "/"

    @property
    def who(self) -> Person:
        """Who is logged in.

        Raises:
            NotFoundError: nobody is (the rules let nobody come here then).
        """
        if self.person is None:
            raise NotFoundError("nobody is logged in")
        return self.person

    @cached_property
    def sight(self) -> Sight:
        """What the person may see of documents."""
        return Sight(self.desk.catalog, self.desk.view(self.who.name))

    def field(self, name: str) -> str:
        """A value of the form, or ""."""
        return self.form.get(name, [""])[0].strip()

    def number(self, name: str, *, default: int = 0) -> int:
        """A number of the query string; ``default`` where there is none."""
        return whole(self.query.get(name, "")) or default

    def audit(self, action: str, documents: Iterable[str] = (), **details: Any) -> None:
        """Write down what the person is about to do, or to see; what cannot be written down is not done.

        Raises:
            CatalogUnavailableError: it cannot be written now.
        """
        self.desk.catalog.queries.append(
            QueryRecord(
                at=utc_now(),
                reader=self.who.name,
                query=action,
                filters=details,
                document_ids=tuple(documents),
                channel=CHANNEL,
            )
        )


@dataclass(frozen=True, slots=True)
class Page:
    """A page: a template and its values.

    Attributes:
        template: Name below ``templates/``.
        values: What it shows.
        status: Of HTTP.
        part: Name of the block that answers a request of htmx, or "" for the whole page.
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    part: str = ""


@dataclass(frozen=True, slots=True)
class Redirect:
    """To another page (303), perhaps with a word of what was done, and cookies to set ("" takes one away)."""

    to: str
    notice: str = ""
    count: int = 0
    cookies: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Where to."""
        if not self.notice:
            return f"{ROOT}{self.to}"
        mark = "&" if "?" in self.to else "?"
        return f"{ROOT}{self.to}{mark}{urlencode({'notice': self.notice, 'count': self.count})}"


@dataclass(frozen=True, slots=True)
class File:
    """Bytes, or pieces of them, of a type; ``name``: as a download."""

    content: bytes | Iterable[bytes]
    media_type: str
    name: str = ""
    policy: str = ""


def whole(text: str) -> int:
    """The whole number of up to 15 digits that a text is, or 0: what a link or form says may be anything."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0


Handler = Callable[[Visit], Page | Redirect | File]
