"""``seoga serve`` as a process, over the example drive, with two services and an identity provider that may ask."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from harness.process import ServerProcess

__all__ = ["AUDIENCE", "ISSUER", "ApiServer"]

ROOT = Path(__file__).resolve().parents[2]
ISSUER, AUDIENCE = "https://id.hanbit.example", "seoga"
_SEOGA = [sys.executable, "-c", "from app.cli import main; main()"]


class ApiServer(ServerProcess):
    """The search API over ``examples/make_share.py``'s drive.

    ``token`` may act for everybody, ``agent`` for lee alone; ``person`` signs tokens as the identity provider does.

    Args:
        settings: Further environment (``SEOGA_…``).
    """

    def __init__(self, **settings: str) -> None:
        super().__init__("api")
        self.token, self.agent = secrets.token_hex(16), secrets.token_hex(16)
        self._signing = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._settings = settings

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def home(self) -> Path:
        """Its home folder."""
        return self.folder / "home"

    def start(self, *, wait: bool = True) -> None:
        """Make the drive and read it, the first time; then serve."""
        if not self.home.exists():
            self._prepare()
        super().start(wait=wait)

    def seoga(self, *words: str) -> str:
        """A ``seoga`` command on its home folder; what it printed.

        Raises:
            RuntimeError: it failed, with what it said.
        """
        done = subprocess.run(
            [*_SEOGA, *words],
            env=self._environment(),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"seoga {' '.join(words)}: {done.returncode}\n{done.stderr}")
        return done.stdout

    def person(self, key: Any = None, algorithm: str = "RS256", **claims: Any) -> str:
        """A token of the identity provider for kim; claims that are None are left out.

        Args:
            key: Signs; the provider's own without.
            algorithm: As the token says.
            claims: Instead of the usual ones.
        """
        values = {"iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + 3600}
        values |= {"preferred_username": "kim", **claims}
        kept = {name: value for name, value in values.items() if value is not None}
        key = self._signing if key is None else key
        return jwt.encode(kept, key or None, algorithm=algorithm, headers={"kid": "k1"})

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """An answer to a request that must succeed, with ``token``."""
        head = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), head)  # noqa: S310  loopback
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  loopback
            return dict(json.load(answer))

    def _prepare(self) -> None:
        self.home.mkdir()
        jwk = json.loads(RSAAlgorithm.to_jwk(self._signing.public_key()))
        keys = json.dumps({"keys": [{**jwk, "kid": "k1", "alg": "RS256"}]})
        (self.home / "jwks.json").write_text(keys, encoding="utf-8")
        (self.home / "agent.token").write_text(self.agent, encoding="utf-8")
        (self.home / "seoga.toml").write_text(
            '[embedder]\nengine = "hash"\n'
            f"[api]\nport = {self.port}\n"
            f'[[api.clients]]\nname = "agent"\ntoken_file = "{self.home}/agent.token"\nreaders = ["lee"]\n'
            f'[api.oidc]\nissuer = "{ISSUER}"\naudience = "{AUDIENCE}"\n'
            f'jwks_file = "{self.home}/jwks.json"\nreader_claim = "preferred_username"\n',
            encoding="utf-8",
        )
        share = self.folder / "share"
        maker = [sys.executable, str(ROOT / "examples/make_share.py"), str(share)]
        subprocess.run(maker, check=True, stdout=subprocess.DEVNULL)
        self.seoga("ingest", str(share), "--name", "share", "--json")

    def _command(self) -> list[str]:
        return [*_SEOGA, "serve"]

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/v1/health", timeout=5) as answer:  # noqa: S310  loopback
                return bool(answer.status == 200)  # noqa: PLR2004  OK
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def _environment(self) -> dict[str, str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SEOGA_")}
        own = {"SEOGA_HOME": str(self.home), "SEOGA_API_TOKEN": self.token, "PYTHONPATH": str(ROOT)}
        return {**inherited, **self._settings, **own}
