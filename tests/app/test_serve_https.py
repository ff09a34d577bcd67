"""``seoga serve`` with a certificate speaks HTTPS and nothing else; one that does not fit is told before anything starts."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

SERVE = [sys.executable, "-c", "from app.cli import main; main()", "serve"]


def _certificate(folder: Path, name: str) -> tuple[Path, Path]:
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    return certificate, key


def _environ(home: Path, certificate: Path, key: Path | None, port: int = 8470) -> dict[str, str]:
    home.mkdir(exist_ok=True)
    lines = f'[embedder]\nengine = "hash"\n[api]\nport = {port}\ncertificate = "{certificate}"\n'
    (home / "seoga.toml").write_text(lines + (f'certificate_key = "{key}"\n' if key else ""))
    return {**os.environ, "SEOGA_HOME": str(home), "SEOGA_API_TOKEN": "a-token-of-the-tests"}


def test_the_api_speaks_https_and_no_http(tmp_path):
    certificate, key = _certificate(tmp_path, "server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environ = _environ(tmp_path / "home", certificate, key, port)
    trusting = ssl.create_default_context(cafile=str(certificate))
    with subprocess.Popen(SERVE, env=environ, stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 60
            while True:
                try:
                    url = f"https://localhost:{port}/v1/health"
                    with urllib.request.urlopen(url, timeout=10, context=trusting) as answer:
                        assert answer.status == 200
                    break
                except urllib.error.URLError:
                    assert time.monotonic() < deadline, "did not start"
                    time.sleep(0.2)
            with pytest.raises((urllib.error.URLError, ConnectionError)):
                urllib.request.urlopen(f"http://localhost:{port}/v1/health", timeout=10)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()


@pytest.mark.parametrize("other", [True, False], ids=["another's key", "no key"])
def test_a_certificate_without_its_key_is_told(tmp_path, other):
    certificate, _ = _certificate(tmp_path, "server")
    key = _certificate(tmp_path, "other")[1] if other else None
    environ = _environ(tmp_path / "home", certificate, key)
    done = subprocess.run(
        SERVE, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "[api]" in done.stderr
    assert "Traceback" not in done.stderr
