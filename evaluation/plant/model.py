"""Documents, facts and questions, as the generator hands them on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

__all__ = [
    "Bundle",
    "Deck",
    "Document",
    "Fact",
    "Item",
    "Letter",
    "Pages",
    "Place",
    "Question",
    "Slide",
    "Subject",
    "Workbook",
    "Worksheet",
]

Block = tuple[str, Any]
"""``("h1" | "h2" | "p" | "li", text)``, ``("table", rows)`` where a cell is a text or a list of blocks, ``("turn", None)`` for a new page."""


@dataclass(frozen=True, slots=True)
class Pages:
    """A text document: docx, hwpx, pdf or a scan.

    Attributes:
        title: Of the properties.
        author: Of the properties.
        blocks: What it says.
        header: At the top of each page.
        columns: Of a pdf, 1 or 2.
    """

    title: str
    author: str
    blocks: tuple[Block, ...]
    header: str = ""
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Worksheet:
    """A sheet.

    Attributes:
        name: Its name.
        rows: Texts and numbers.
        merged: Ranges such as ``A1:C1``.
        hidden: Whether the sheet is hidden.
        hidden_columns: Letters.
    """

    name: str
    rows: tuple[tuple[str | int | float | None, ...], ...]
    merged: tuple[str, ...] = ()
    hidden: bool = False
    hidden_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workbook:
    """A workbook."""

    title: str
    author: str
    sheets: tuple[Worksheet, ...]


@dataclass(frozen=True, slots=True)
class Slide:
    """A slide.

    Attributes:
        title: Its title.
        lines: Bullets.
        notes: The speaker's.
        chart: ``(title, categories, {series: values})``, or None.
        table: Rows, or None.
    """

    title: str
    lines: tuple[str, ...] = ()
    notes: str = ""
    chart: tuple[str, tuple[str, ...], tuple[tuple[str, tuple[int, ...]], ...]] | None = None
    table: tuple[tuple[str, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Deck:
    """A presentation."""

    title: str
    author: str
    slides: tuple[Slide, ...]


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail.

    Attributes:
        subject: Its subject.
        sender: ``(name, address)``.
        to: The same of each receiver.
        day: When.
        text: Its text.
        attachments: ``(name, document)``; a mail hangs on as a mail.
        reference: Message-ID of the mail that it answers, or "".
        identity: Its own Message-ID.
    """

    subject: str
    sender: tuple[str, str]
    to: tuple[tuple[str, str], ...]
    day: date
    text: str
    identity: str
    attachments: tuple[tuple[str, Document], ...] = ()
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A zip archive."""

    members: tuple[tuple[str, Document], ...]


Content = Pages | Workbook | Deck | Letter | Bundle


@dataclass(frozen=True, slots=True)
class Document:
    """A file to be written.

    Attributes:
        path: Below the drive's root.
        form: ``docx``, ``hwpx``, ``pdf``, ``scan-good``, ``scan-fair``, ``scan-poor``, ``xlsx``, ``pptx``, ``eml`` or ``zip``.
        content: What it holds.
        day: Modification day.
        standing: ``current``, ``obsolete`` or ``draft``, in truth.
        revision: Of a document with revisions, as it says, else "".
        secret: Whether not all staff may read it.
    """

    path: str
    form: str
    content: Content
    day: date
    standing: str = "current"
    revision: str = ""
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What a fact is about.

    Attributes:
        exact: Names in the words of documents.
        plain: Names in other words.
        english: Names in English.
        code: Its code, or "".
    """

    exact: tuple[str, ...]
    plain: tuple[str, ...] = ()
    english: tuple[str, ...] = ()
    code: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer stands: exactly one is set, or none where the format has no such place.

    Attributes:
        page: From 1; 0: the page whose text holds ``evidence`` and the answer, found when it is written.
        slide: From 1.
        sheet: Its name.
        cell: In the sheet.
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    cell: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that documents state, with the questions that ask for it.

    Attributes:
        id: Unique; the split is made by it.
        kind: Kind of document, such as ``standard``.
        subject: What it is about.
        label: What of it, as the document calls it.
        answers: What a right answer says, all of them.
        docs: Paths of documents that state it, any of them.
        place: Where, in the first of them.
        exact: Questions in the document's words, with ``{s}``.
        plain: Questions in other words.
        english: Questions in English.
        asked: Types of questions that it serves.
        stale: Answers of earlier revisions.
        stale_docs: Paths of documents that state those.
        revision: Of the document, as it says.
        look: Strings of which all stand near the answer, for the independent check.
        options: Of the search, as in a golden line.
        link: Another fact's subject that this one names: for questions over two documents.
    """

    id: str
    kind: str
    subject: Subject
    label: str
    answers: tuple[str, ...]
    docs: tuple[str, ...]
    exact: tuple[str, ...]
    plain: tuple[str, ...] = ()
    english: tuple[str, ...] = ()
    asked: frozenset[str] = frozenset()
    place: Place = Place()
    stale: tuple[str, ...] = ()
    stale_docs: tuple[str, ...] = ()
    revision: str = ""
    look: tuple[str, ...] = ()
    options: tuple[tuple[str, str | bool], ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """What one thing in the plant leaves on the drive."""

    documents: tuple[Document, ...]
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with all that is needed to judge an answer.

    Attributes:
        id: Unique.
        type: See ``questions.TYPES``.
        question: As typed.
        reader: Who asks.
        answerable: Whether this reader may read an answer.
        docs: Paths that hold it, any of them; for ``multi`` those of the last hop.
        hops: For ``multi``: for each part of the answer the paths that hold it; else ``(docs,)``.
        answer: What a right answer says.
        stale: What earlier revisions say.
        stale_docs: Documents that say it.
        place: Where the answer stands in its first document.
        revision: That a citation names, or "".
        hidden: Paths that hold an answer which the reader may not read.
        split: ``tune`` or ``test``.
        fact: The fact's id.
        kind: Kind of document.
        options: Of the search.
        looks: For the independent check: strings that stand near each part of the answer, or nowhere together.
    """

    id: str
    type: str
    question: str
    reader: str
    answerable: bool
    split: str
    fact: str
    kind: str
    docs: tuple[str, ...] = ()
    hops: tuple[tuple[str, ...], ...] = ()
    answer: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    stale_docs: tuple[str, ...] = ()
    place: Place = Place()
    revision: str = ""
    hidden: tuple[str, ...] = ()
    options: dict[str, str | bool] = field(default_factory=dict)
    looks: tuple[tuple[str, ...], ...] = ()
