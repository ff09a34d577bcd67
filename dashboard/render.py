"""Pages as HTML."""

from __future__ import annotations

import hashlib
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from catalog.times import parse_utc
from dashboard.roles import RULES
from dashboard.visit import ROOT

if TYPE_CHECKING:
    from dashboard.visit import Page, Visit

__all__ = ["STATIC", "html_of", "moment"]

STATIC = Path(__file__).parent / "static"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("dashboard"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["moment"] = moment
    made.filters["clean"] = lambda text: str(text).encode("utf-8", "replace").decode()
    made.filters["readable"] = lambda link: unquote(link, errors="replace")
    made.globals["static"] = _static
    return made


@cache
def _static(name: str) -> str:
    """Address of a file of ours, which changes with its content."""
    mark = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"{ROOT}/static/{name}?{mark}"


def moment(value: str | datetime) -> Markup:
    """A UTC text of the catalog as people here write times; "" stays so."""
    if not value:
        return Markup("–")
    at = parse_utc(value) if isinstance(value, str) else value
    local = at.astimezone()
    return Markup('<time datetime="{}">{:%Y-%m-%d %H:%M:%S}</time>').format(at.isoformat(), local)


def html_of(visit: Visit, page: Page) -> str:
    """The page, or the part of it that htmx asks for."""
    template = _environment().get_template(page.template)
    values = {**_common(visit), **page.values}
    if not page.part:
        return template.render(values)
    context = template.new_context(values)
    return "".join(template.blocks[page.part](context))


def _common(visit: Visit) -> dict[str, Any]:
    person = visit.person
    roles = person.roles if person else frozenset()
    return {
        "t": visit.words,
        "lang": visit.words.language,
        "theme": visit.theme,
        "root": ROOT,
        "person": person.name if person else "",
        "roles": sorted(roles),
        "csrf": person.session.csrf if person else "",
        "nav": [(r.path, r.nav) for r in RULES if r.nav and (roles & r.roles)],
        "notice": _notice(visit),
        "query": visit.query,
        "here_url": visit.here,
    }


def _notice(visit: Visit) -> str:
    """A word of what was done; only words of the catalogue, so that no link can put others there."""
    found = visit.query.get("notice", "")
    key = f"done.{found}"
    from dashboard.words import catalogue

    return visit.words(key, n=visit.number("count")) if key in catalogue() else ""
