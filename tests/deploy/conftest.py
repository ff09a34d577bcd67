"""The compose set as a person would start it: its secrets made by the script, its variables set."""

from __future__ import annotations

import base64
import json
import re
import shutil
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

ROOT = Path(__file__).parents[2]
VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?:(:-|:\?)([^}]*))?\}|(\w+))")
SHARE = "/srv/plant"
ACCOUNTS = {"seoga": "index_password", "admin": "opensearch_admin_password"}
"""Accounts at OpenSearch, and the secrets that are their passwords."""


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    text: str


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


class SecureServer:
    """OpenSearch with its security plugin, the set's own configuration, certificates and passwords.

    Args:
        starter: The module that starts servers.
        compose: The set.
        folder: For configuration, data and logs.
    """

    def __init__(self, starter, compose: Compose, folder: Path) -> None:
        self._compose = compose
        given = yaml.safe_load((ROOT / "deploy/opensearch/opensearch.yml").read_text("utf-8"))
        secrets = {f"SEOGA_{name.upper()}": self._secret(name) for name in ACCOUNTS.values()}
        server = self

        class Secure(starter.OpenSearchServer):
            def _configure(self, home: Path) -> None:
                super()._configure(home)
                server._configure(self.folder / "conf", home)

            def _wait(self) -> None:
                server._wait(self.process)

        self._server = Secure(
            folder, "768m", settings=given | {"network.host": "127.0.0.1"},
            plugins=("opensearch-security",), environ=secrets,
        )  # fmt: skip
        self.url = f"https://localhost:{self._server.port}"

    def start(self):
        """Start, and return when it answers."""
        self._server.start()
        return self

    def kill(self) -> None:
        """End it."""
        self._server.kill()

    def ask(self, path: str, user: str, password: str = "", method: str = "GET", body=None):
        """Status and text of an answer; the account's own password where none is given; 0: no answer."""
        word = base64.b64encode(
            f"{user}:{password or self._secret(ACCOUNTS[user])}".encode()
        ).decode()
        headers = {"Authorization": f"Basic {word}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310
        trust = ssl.create_default_context(cafile=self._compose.secrets / "ca.pem")
        try:
            with urllib.request.urlopen(request, context=trust, timeout=20) as answer:  # noqa: S310
                return Answer(answer.status, answer.read().decode())
        except urllib.error.HTTPError as refused:
            return Answer(refused.code, refused.read().decode())
        except OSError as problem:
            return Answer(0, str(problem))

    def _secret(self, name: str) -> str:
        return (self._compose.secrets / name).read_text().strip()

    def _configure(self, conf: Path, home: Path) -> None:
        accounts = conf / "opensearch-security"
        shutil.copytree(home / "plugins/opensearch-security/config", accounts)
        for name in ("internal_users", "roles", "roles_mapping"):
            shutil.copy(ROOT / f"deploy/opensearch/{name}.yml", accounts)
        (conf / "certs").mkdir()
        for secret in self._compose.services["opensearch"]["secrets"]:
            if isinstance(secret, dict):
                file = self._compose.data["secrets"][secret["source"]]["file"]
                shutil.copy(file, conf / "certs" / Path(secret["target"]).name)
        for path in conf.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def _wait(self, process: subprocess.Popen) -> None:
        end = time.monotonic() + 600
        while process.poll() is None and time.monotonic() < end:
            if self.ask("/_cluster/health", "seoga").status == 200:
                return
            time.sleep(2)
        lines = (self._server.folder / "out.log").read_text("utf-8", "replace").splitlines()
        # while it waits it says so with every question of ours
        telling = [line for line in lines if "BackendRegistry" not in line]
        pytest.fail("\n".join(telling)[-8000:])


@pytest.fixture(scope="session")
def secure_opensearch(opensearch_starter, compose):
    """The set's OpenSearch, running here."""
    # readable to the account that it runs as
    with tempfile.TemporaryDirectory(prefix="seoga-os-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        server = SecureServer(opensearch_starter, compose, Path(folder))
        try:
            yield server.start()
        finally:
            server.kill()


@pytest.fixture(scope="session")
def compose(tmp_path_factory) -> Compose:
    """The set, with secrets as scripts/compose_certs.sh makes them."""
    folder = tmp_path_factory.mktemp("compose") / "secrets"
    subprocess.run(
        [ROOT / "scripts/compose_certs.sh", folder], check=True, capture_output=True, timeout=60
    )
    return Compose(folder)
