"""A client of the search API for programs in Python: typed answers, pages, streams, and tries again where that helps.

Needs nothing of the service but its address and a token; see docs/api.md.
"""

from seoga_client.client import Seoga
from seoga_client.errors import (
    AskedTooOften,
    NotFound,
    NotReachable,
    Refused,
    RequestProblem,
    SeogaClientError,
    ServiceProblem,
)
from seoga_client.objects import (
    Answer,
    Citation,
    Document,
    FacetCount,
    Hit,
    Passage,
    SearchResult,
    Sentence,
)

__all__ = [
    "Answer",
    "AskedTooOften",
    "Citation",
    "Document",
    "FacetCount",
    "Hit",
    "NotFound",
    "NotReachable",
    "Passage",
    "Refused",
    "RequestProblem",
    "SearchResult",
    "Sentence",
    "Seoga",
    "SeogaClientError",
    "ServiceProblem",
]
