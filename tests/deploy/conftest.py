"""The compose set as a person would start it: its secrets made by the script, its variables set."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?:(:-|:\?)([^}]*))?\}|(\w+))")
SHARE = "/srv/plant"


class Compose:
    """``docker-compose.yml`` with and without its variables.

    Attributes:
        text: As it is written.
        variables: Name → "" (required) or its default.
        raw: Parsed, variables unresolved.
        data: Parsed, with ``SEOGA_SHARE`` and ``SEOGA_SECRETS`` set and every default taken.
    """

    def __init__(self, secrets: Path) -> None:
        self.text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
        self.raw = yaml.safe_load(self.text)
        found = [m for line in _strings(self.raw) for m in VARIABLE.finditer(line) if not m[1]]
        assert not [m[0] for m in found if m[3] is None], "a variable without default or message"
        self.variables = {m[2]: (m[4] if m[3] == ":-" else "") for m in found}
        self.messages = {m[2]: m[4] for m in found if m[3] == ":?"}
        self.data = _resolved(self.raw, {"SEOGA_SHARE": SHARE, "SEOGA_SECRETS": str(secrets)})
        self.services = self.data["services"]
        self.secrets = secrets

    def ours(self) -> dict[str, dict]:
        """The services that run the image of this repository."""
        return {name: s for name, s in self.services.items() if s["image"].startswith("seoga:")}


def _strings(node):
    if isinstance(node, dict):
        for key, value in node.items():
            yield str(key)
            yield from _strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from _strings(value)
    elif isinstance(node, str):
        yield node


def _resolved(node, values: dict[str, str]):
    if isinstance(node, dict):
        return {key: _resolved(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [_resolved(value, values) for value in node]
    if isinstance(node, str):
        return VARIABLE.sub(lambda m: "$" if m[1] else values.get(m[2], m[4] or ""), node)
    return node


@pytest.fixture(scope="session")
def compose(tmp_path_factory) -> Compose:
    """The set, with secrets as scripts/compose_certs.sh makes them."""
    folder = tmp_path_factory.mktemp("compose") / "secrets"
    subprocess.run(
        [ROOT / "scripts/compose_certs.sh", folder], check=True, capture_output=True, timeout=60
    )
    return Compose(folder)
