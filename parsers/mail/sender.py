"""Lines that name the sender of a mail: what a signature without contact data can be told by."""

from __future__ import annotations

import re
from email.utils import parseaddr

__all__ = ["Sender"]

_HANGUL_NAME = re.compile(r"[가-힣]{2,4}(?![가-힣])")
_LATIN_NAME = re.compile(r"[A-Za-z][A-Za-z'’-]{2,}")
_WORD = re.compile(r"[A-Za-z가-힣][A-Za-z가-힣'’-]*")
_LONGEST = 96


class Sender:
    """Who a mail is from, as far as its ``From`` tells.

    Attributes:
        names: Words of the name in lower case; those of the address where there is no name.
    """

    def __init__(self, header: str) -> None:
        """Read the header.

        Args:
            header: The ``From`` header, decoded; "" where there is none.
        """
        display, address = parseaddr(header)
        account = address.partition("@")[0]
        # Notes and Exchange write who somebody is behind the name: 기세린/품질보증/세진.
        words = (display or account).replace("_", " ").replace(".", " ").split("/")[0]
        found = _HANGUL_NAME.findall(words) + _LATIN_NAME.findall(words)
        self.names = frozenset(word.lower() for word in found)

    def signs(self, line: str) -> bool:
        """Whether a line begins with the sender's name; one word may stand before it (``품질팀 한지우``).

        Args:
            line: A line of the mail's text.
        """
        if not self.names or len(line) > _LONGEST:
            return False
        words = [word.lower() for word in _WORD.findall(line)[:2]]
        spaced = "".join(line.split())[:4]  # 한 지 우
        hangul = [name for name in self.names if not name.isascii()]
        return bool(self.names & set(words[:1])) or any(
            name in words or spaced.startswith(name) for name in hangul
        )

    def rest(self, line: str) -> str:
        """What a line says beside the sender's name, without spaces and punctuation.

        Args:
            line: A line that ``signs``.
        """
        words = re.findall(r"\w+", line)
        left = "".join(word for word in words if word.lower() not in self.names)
        return "" if left in self.names else left
