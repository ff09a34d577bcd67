"""What can go wrong.

::

    SeogaClientError
    ├── NotReachable       no answer: no connection, or it broke off
    └── (an answer that is an error: status, code, advice, request_id)
        ├── RequestProblem   400, 409, 413, 422: the request is to be corrected
        ├── Refused          401, 403: the token, or who is asked for
        ├── NotFound         404: there is none, or the reader may not read it
        ├── AskedTooOften    429, after every try
        └── ServiceProblem   5xx, after every try
"""

from __future__ import annotations

__all__ = [
    "AskedTooOften",
    "NotFound",
    "NotReachable",
    "Refused",
    "RequestProblem",
    "SeogaClientError",
    "ServiceProblem",
    "problem_of",
]


class SeogaClientError(Exception):
    """Anything that keeps an answer away.

    Attributes:
        status: HTTP status, 0 where there was none.
        code: For programs.
        advice: What can be done, or "".
        request_id: Names the request in the service's log, or "".
        retry_after: Seconds to wait that the service asked for, or 0.0.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        advice: str = "",
        request_id: str = "",
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.advice = advice
        self.request_id = request_id
        self.retry_after = retry_after


class NotReachable(SeogaClientError):
    """No answer."""


class RequestProblem(SeogaClientError):
    """The request is to be corrected."""


class Refused(SeogaClientError):
    """The token is not known, or its holder may not ask as this reader."""


class NotFound(SeogaClientError):
    """There is none, or the reader may not read it."""


class AskedTooOften(SeogaClientError):
    """More requests than the service allows."""


class ServiceProblem(SeogaClientError):
    """The service cannot answer."""


_FAULT = 500
_KINDS: dict[int, type[SeogaClientError]] = {
    401: Refused,
    403: Refused,
    404: NotFound,
    429: AskedTooOften,
}


def problem_of(status: int) -> type[SeogaClientError]:
    """The class of a status that is an error."""
    if status >= _FAULT:
        return ServiceProblem
    return _KINDS.get(status, RequestProblem)
