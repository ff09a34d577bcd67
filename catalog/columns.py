"""Columns as every table has them."""

from __future__ import annotations

import sqlalchemy as sa

from catalog.text import SafeText

__all__ = ["number", "text"]

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def text(name: str, *, key: bool = False) -> sa.Column[str]:
    """Text that is always there."""
    return sa.Column(name, SafeText(), nullable=False, primary_key=key)


def number(name: str, *, key: bool = False) -> sa.Column[int]:
    """A whole number of 64 bits that is always there."""
    return sa.Column(name, _NUMBER, nullable=False, primary_key=key, autoincrement=False)
