"""What every group of settings is: frozen, and strict about names."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Group"]


class Group(BaseModel):
    """A group of settings; a name that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
