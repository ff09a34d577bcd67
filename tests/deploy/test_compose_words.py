"""The scripts within the compose file do what they say, and the operations page tells of the set as it is."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEGABYTES = {"m": 1, "g": 1024}


def here(compose, script: str) -> str:
    """A script with the secrets where they are on this machine."""
    for name, secret in compose.data["secrets"].items():
        script = re.sub(rf"/run/secrets/{name}\b", secret["file"], script)
    return script


def test_opensearch_starts_with_its_passwords_in_its_environment_only(compose):
    service = compose.services["opensearch"]
    (script,) = service["command"]
    start = "exec ./opensearch-docker-entrypoint.sh opensearch"
    assert script.endswith(start)
    done = subprocess.run(
        [*service["entrypoint"], here(compose, script).replace(start, "exec env")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    shown = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    for name in ("index_password", "opensearch_admin_password"):
        secret = (compose.secrets / name).read_text().strip()
        assert shown[f"SEOGA_{name.upper()}"] == secret
        assert secret not in str(service)


@pytest.mark.distributed
@pytest.mark.timeout(1200)
def test_the_check_of_opensearch_passes_where_it_is_well_and_fails_elsewhere(
    compose, secure_opensearch
):
    _kind, *command = compose.services["opensearch"]["healthcheck"]["test"]
    script = here(compose, command[-1])
    script = script.replace("config/certs/ca.pem", str(compose.secrets / "ca.pem"))
    port = secure_opensearch.url.rpartition(":")[2]
    for there, status in ((port, 0), ("1", 7)):  # curl: 7, nobody listens
        words = [*command[:-1], script.replace("localhost:9200", f"localhost:{there}")]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr


def test_the_operations_page_names_every_service_and_the_sum_of_the_limits(compose):
    text = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    part = text.partition("## 여러 대로 (distributed)")[2].partition("\n## ")[0]
    running = {name: s for name, s in compose.services.items() if s["restart"] != "no"}
    watching = {"prometheus", "grafana"}  # in the part on metrics
    assert not [name for name in compose.services.keys() - watching if f"`{name}`" not in part]
    limits = [s["mem_limit"] for s in running.values()]
    whole = sum(int(limit[:-1]) * MEGABYTES[limit[-1]] for limit in limits)
    assert f"메모리 상한의 합은 {whole:,} MB" in part


def test_the_operations_page_names_only_variables_of_the_environment_that_are_read(compose):
    text = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    part = text.partition("## 여러 대로 (distributed)")[2]
    named = set(
        re.findall(
            r"`((?:OPENSEARCH|PARSE|GRAFANA)_\w+|SEOGA_(?:SHARE|SECRETS|SHARE_GID|BIND|PORT))`",
            part,
        )
    )
    assert {"SEOGA_SECRETS", "OPENSEARCH_MEMORY"} <= named
    assert named <= compose.variables.keys()
