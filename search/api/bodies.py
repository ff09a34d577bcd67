"""What requests carry. Each value is taken as it is meant: a number as text is no number, an unknown name is told."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from contracts.feedback import FeedbackKind
from contracts.search import FACETS, SearchRequest
from contracts.versions import DOCUMENT_TYPES

if TYPE_CHECKING:
    from search.api.callers import Caller

__all__ = [
    "AnswerBody",
    "AnswerFeedbackBody",
    "FilterBody",
    "LinkBody",
    "PassageFeedbackBody",
    "SearchBody",
    "Text",
]

_SOMETHING = r"[^\s\x00-\x1f\x7f-\x9f\ufeff]"
"""A character that is not blank; named besides is what ECMA 262, whose patterns JSON Schema has, and Unicode do not both call blank."""

_MOST_VALUES = 50
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day(value: Any) -> date | None:
    if value is None:
        return None
    if not isinstance(value, str) or _DAY.fullmatch(value) is None:
        msg = "YYYY-MM-DD"
        raise ValueError(msg)
    return date.fromisoformat(value)


Text = Annotated[str, Field(min_length=1, max_length=2000, pattern=_SOMETHING)]
_READER = Field(min_length=1, max_length=256, pattern=_SOMETHING)
_Value = Annotated[str, Field(min_length=1, max_length=2000, pattern=_SOMETHING)]
_Values = _Value | Annotated[list[_Value], Field(min_length=1, max_length=_MOST_VALUES)]
_Day = Annotated[
    date | None,
    BeforeValidator(_day),
    WithJsonSchema({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}),
]


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 7.0 is 7."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Whole = Annotated[int, BeforeValidator(_whole)]


def _one_of(names: tuple[str, ...]) -> AfterValidator:
    def known(value: str) -> str:
        if value not in names:
            msg = f"one of {', '.join(names)}"
            raise ValueError(msg)
        return value

    return AfterValidator(known)


def _names(names: tuple[str, ...]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "enum": list(names)})


_Type = Annotated[str, _one_of(DOCUMENT_TYPES), _names(DOCUMENT_TYPES)]
_KINDS = tuple(kind.value for kind in FeedbackKind)
_Remark = Annotated[str, _one_of(_KINDS), _names(_KINDS)]
_Thumb = Annotated[str, _one_of(_KINDS[1:3]), _names(_KINDS[1:3])]
_Facet = Annotated[str, _one_of(FACETS), _names(FACETS)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class FilterBody(_Strict):
    """Fields that documents must have; values of one field are alternatives (docs/filter-semantics.md)."""

    department: _Values | None = None
    source: _Values | None = None
    format: _Values | None = None
    code: _Values | None = None
    language: _Values | None = None
    path: _Values | None = Field(
        default=None, description="Whole parts of the path, from its start."
    )
    security_level: _Values | None = None
    revision: _Values | None = None

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """``(field, value)`` of all that are set."""
        return tuple(
            (name, value)
            for name, values in self.model_dump(exclude_none=True).items()
            for value in ([values] if isinstance(values, str) else values)
        )


class _Asked(_Strict):
    reader: Annotated[str, _READER] | None = Field(
        default=None, description="As whom; a service must name one, a person's token says it."
    )
    include_obsolete: bool = Field(default=False, description="Obsolete and draft versions, too.")
    as_of: _Day = Field(default=None, description="The view of that day; today's without.")
    types: list[_Type] = Field(default_factory=list, max_length=_MOST_VALUES)
    filters: FilterBody = Field(default_factory=FilterBody)
    restrict_groups: list[str] = Field(
        default_factory=list,
        max_length=_MOST_VALUES,
        description="Only what each of these groups could read, too; narrows, never widens.",
    )

    def asked(self, caller: Caller, query: str, top: int) -> SearchRequest:
        """The request of the search core."""
        return SearchRequest(
            query=query,
            reader=caller.reader(self.reader),
            top=top,
            include_obsolete=self.include_obsolete,
            as_of=self.as_of,
            types=tuple(self.types),
            filters=self.filters.pairs(),
            restrict_groups=tuple(self.restrict_groups),
            via=caller.name,
        )


class SearchBody(_Asked):
    """What to search, and as whom."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "P-2041 체결 토크", "reader": "kim", "top": 5},
                {
                    "query": "세척액 온도 기준",
                    "reader": "lee",
                    "types": ["work_standard"],
                    "filters": {"department": "생산기술팀"},
                    "facets": ["type", "year"],
                },
            ],
        },
    )

    query: Text
    top: _Whole = Field(default=10, ge=1, le=100, description="Hits on a page.")
    facets: list[_Facet] = Field(default_factory=list, max_length=len(FACETS))
    cursor: str | None = Field(
        default=None,
        max_length=200,
        description="`next_cursor` of the page before, with everything else as it was asked there.",
    )

    def request(self, caller: Caller) -> SearchRequest:
        """The request of the search core, its first page."""
        return self.asked(caller, self.query, self.top)


class LinkBody(_Strict):
    """Which citation, and for whom."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"citation": "2c91c8450c7e32739e445acaba77b5a6-7f3a", "reader": "lee"}]
        },
    )

    citation: str = Field(min_length=1, max_length=256, description="`citation.id` of a hit.")
    reader: Annotated[str, _READER] | None = None


class PassageFeedbackBody(_Strict):
    """What a reader says of a passage."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "kind": "wrong_revision",
                    "citation": "2c91c8450c7e32739e445acaba77b5a6-7f3a",
                    "reader": "lee",
                    "query": "세척액 온도 기준",
                    "note": "개정 4가 나왔습니다",
                }
            ]
        },
    )

    kind: _Remark
    citation: str = Field(min_length=1, max_length=256, description="`citation.id` of a hit.")
    reader: Annotated[str, _READER] | None = None
    query: str = Field(default="", max_length=2000, description="What was asked.")
    note: str = Field(default="", max_length=2000)


class AnswerFeedbackBody(_Strict):
    """What a reader says of an answer, or of all that a search found."""

    kind: _Thumb
    query: Text
    reader: Annotated[str, _READER] | None = None
    note: str = Field(default="", max_length=2000)


class AnswerBody(_Asked):
    """What to answer, and as whom."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"question": "세척액 온도 기준은 몇 도인가?", "reader": "lee"}],
        },
    )

    question: Text
    sentences: _Whole = Field(
        default=3, ge=1, le=10, description="Sentences of an extract, at most."
    )
    stream: bool = Field(
        default=False, description="As server-sent events, sentence by sentence as they are ready."
    )

    def request(self, caller: Caller) -> SearchRequest:
        """The request of the search core."""
        return self.asked(caller, self.question, 10)
