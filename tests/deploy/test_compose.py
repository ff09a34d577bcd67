"""What can be known of the compose set without a container engine: it is whole, it is closed, it names what exists."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import check_jsonschema
import click
import jsonschema
import pytest
import yaml

from app.cli import cli
from contracts.settings import Settings, load_settings
from contracts.tasks import TaskKind

ROOT = Path(__file__).parents[2]
SCHEMA = Path(check_jsonschema.__file__).parent / "builtin_schemas/vendor/compose-spec.json"
ONCE = {"migrate"}
"""Services that end by themselves."""
PORTS = {"postgres": 5432, "redis": 6379, "opensearch": 9200, "prometheus": 9090}
"""Where the images of others listen, as their makers say."""


def seoga_commands(compose) -> list[tuple[str, list[str]]]:
    """Every command line of ours in the compose file and in the Dockerfile, without the word ``seoga``."""
    found = [(name, service["command"]) for name, service in compose.ours().items()]
    for name, service in compose.ours().items():
        test = service["healthcheck"].get("test", [])
        if test[:2] == ["CMD", "seoga"]:
            found.append((f"{name} healthcheck", test[2:]))
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert 'ENTRYPOINT ["seoga"]' in dockerfile
    found.append(
        ("Dockerfile", json.loads(re.search(r"^CMD (\[.*\])", dockerfile, re.MULTILINE)[1]))
    )
    return found


# -- whole -----------------------------------------------------------------------------------------


def test_it_follows_the_schema_of_the_compose_specification(compose):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema).validate(compose.raw)
    jsonschema.Draft7Validator(schema).validate(compose.data)


def test_the_example_of_the_environment_has_exactly_the_variables_that_are_read(compose):
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    required = set(re.findall(r"^([A-Z_]+)=$", text, re.MULTILINE))
    optional = dict(re.findall(r"^# ([A-Z_]+)=(\S+)", text, re.MULTILINE))
    assert required == set(compose.messages)
    assert optional == {name: default for name, default in compose.variables.items() if default}


def test_what_is_missing_in_the_environment_is_said_in_both_languages(compose):
    assert compose.messages.keys() == {"SEOGA_SHARE", "SEOGA_SECRETS"}
    for name, message in compose.messages.items():
        assert name in message
        assert re.search("[가-힣]", message)
        assert "missing" in message


def test_every_file_that_is_mounted_or_built_from_exists(compose):
    for service in compose.services.values():
        for mount in service.get("volumes", []):
            source = mount["source"] if isinstance(mount, dict) else mount.split(":")[0]
            if source.startswith("./"):
                assert (ROOT / source).exists(), source
        if "build" in service:
            assert (ROOT / service["build"]["context"] / "Dockerfile").is_file()
            stages = re.findall(
                r"^FROM \S+ AS (\w+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE
            )
            assert service["build"]["target"] in stages


def test_volumes_networks_and_secrets_are_declared_and_used(compose):
    used: dict[str, set[str]] = {"volumes": set(), "networks": set(), "secrets": set()}
    for service in compose.services.values():
        used["networks"] |= set(service["networks"])
        for secret in service.get("secrets", []):
            used["secrets"].add(secret if isinstance(secret, str) else secret["source"])
        for mount in service.get("volumes", []):
            if isinstance(mount, str) and not mount.startswith((".", "/")):
                used["volumes"].add(mount.split(":")[0])
    for kind, names in used.items():
        assert names == set(compose.data[kind]), kind


def test_every_secret_is_a_file_that_the_script_makes(compose):
    for name, secret in compose.data["secrets"].items():
        assert Path(secret["file"]).stat().st_size > 20, name


def test_a_service_reads_only_secrets_that_are_mounted_into_it(compose):
    for name, service in compose.services.items():
        mounted = {s for s in service.get("secrets", []) if isinstance(s, str)}
        read = set(re.findall(r"/run/secrets/(\w+)", json.dumps(service)))
        assert read <= mounted, name
    config = (ROOT / "deploy/prometheus/prometheus.yml").read_text(encoding="utf-8")
    read = set(re.findall(r"/run/secrets/(\w+)", config))
    assert read == set(compose.services["prometheus"]["secrets"])


def test_every_address_names_a_service_its_port_and_a_network_that_both_are_in(compose):
    api = compose.services["api"]["ports"][0].rsplit(":", 1)[1]
    ports = PORTS | {"api": int(api)}
    addresses = [
        (name, value)
        for name, service in compose.ours().items()
        for key, value in service["environment"].items()
        if key.endswith("__URL")
    ]
    scrape = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
    addresses += [
        ("prometheus", f"http://{target}")
        for job in scrape["scrape_configs"]
        for group in job["static_configs"]
        for target in group["targets"]
    ]
    source = yaml.safe_load(
        (ROOT / "deploy/grafana/provisioning/datasources/prometheus.yml").read_text()
    )
    addresses += [("grafana", source["datasources"][0]["url"])]
    assert len(addresses) > 20
    for name, address in addresses:
        parts = urlsplit(address)
        if parts.hostname == "localhost":
            assert parts.port == ports[name]
            continue
        assert parts.port == ports[parts.hostname], address
        both = set(compose.services[name]["networks"])
        assert both & set(compose.services[parts.hostname]["networks"]), (name, address)


def test_every_service_has_a_limit_of_memory_and_tells_whether_it_is_well(compose):
    for name, service in compose.services.items():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
        assert service["networks"], name
        if name in ONCE:
            assert service["restart"] == "no"
            continue
        assert service["restart"] == "unless-stopped", name
        check = service["healthcheck"]
        assert check["test"][0] in {"CMD", "CMD-SHELL"}, name
        assert {"interval", "timeout", "start_period", "retries"} <= check.keys(), name


def test_a_worker_is_replaced_before_its_container_is_ended(compose):
    sizes = {"m": 1, "g": 1024}
    for name, service in compose.ours().items():
        if service["command"][0] == "worker":
            limit = int(service["mem_limit"][:-1]) * sizes[service["mem_limit"][-1]]
            process = int(service["environment"]["SEOGA_QUEUE__WORKER_MEMORY_MB"])
            assert process + 256 <= limit, name  # beside it the process that listens


def test_what_is_waited_for_can_become_so(compose):
    for name, service in compose.services.items():
        for other, wanted in service.get("depends_on", {}).items():
            condition = wanted["condition"]
            ends = other in ONCE
            assert condition == ("service_completed_successfully" if ends else "service_healthy"), (
                name,
                other,
            )


# -- closed ----------------------------------------------------------------------------------------


def test_images_are_pinned_to_one_release(compose):
    release = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    images = {service["image"] for service in compose.services.values()}
    images |= set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))
    assert f"seoga:{release}" in images
    for image in images:
        assert re.search(r":v?\d+\.\d+(\.\d+)?(-[a-z-]+)?$", image), image
        assert not image.endswith(":latest")


def test_only_the_api_and_grafana_can_be_reached_and_only_from_this_machine(compose):
    published = {name: s["ports"] for name, s in compose.services.items() if "ports" in s}
    assert published.keys() == {"api", "grafana"}
    for ports in published.values():
        assert [port.split(":")[0] for port in ports] == ["127.0.0.1"]
    ways_out = {name for name, net in compose.data["networks"].items() if not net.get("internal")}
    outside = {name for name, s in compose.services.items() if ways_out & set(s["networks"])}
    assert outside == {"api", "grafana"}


def test_grafana_reaches_neither_the_catalog_nor_the_index(compose):
    servers = {"postgres", "redis", "opensearch"}
    for name in ("grafana", "prometheus"):
        mine = set(compose.services[name]["networks"])
        assert not [s for s in servers if mine & set(compose.services[s]["networks"])]


def test_the_share_and_every_file_of_the_repository_are_mounted_read_only(compose):
    for name, service in compose.services.items():
        for mount in service.get("volumes", []):
            if isinstance(mount, dict):
                assert mount["read_only"] is True, name
            elif mount.startswith(("./", "/")):
                assert mount.endswith(":ro"), name
    for service in compose.ours().values():
        (share,) = [m for m in service["volumes"] if "/srv/share" in str(m)]
        assert share["source"] == "/srv/plant"
        assert share["bind"]["create_host_path"] is False


def test_our_containers_have_no_rights_that_they_do_not_need(compose):
    for name, service in compose.ours().items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert "privileged" not in service, name
    users = re.findall(r"^USER (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert users
    assert users[-1] == "10001:10001"


def test_no_password_stands_anywhere(compose):
    for name, service in compose.services.items():
        for key, value in service.get("environment", {}).items():
            if re.search("PASSWORD|TOKEN|SECRET", key):
                assert value.startswith("/run/secrets/"), (name, key)
            assert not urlsplit(value).password, (name, key)
    example = (ROOT / ".env.example").read_text()
    assert not re.search(r"^#? ?\w*(PASSWORD|TOKEN)\w*=", example, re.MULTILINE)
    users = yaml.safe_load((ROOT / "deploy/opensearch/internal_users.yml").read_text())
    hashes = {name: user["hash"] for name, user in users.items() if name != "_meta"}
    assert all(re.fullmatch(r"\$\{envbc\.[A-Z_]+\}", text) for text in hashes.values()), hashes
    start = " ".join(compose.services["opensearch"]["command"])
    for text in hashes.values():
        assert re.search(rf'\b{text[8:-1]}="\$\(cat /run/secrets/\w+\)"', start), text


def test_secrets_are_made_once_and_kept_from_others(tmp_path):
    def run() -> dict[str, bytes]:
        command = [ROOT / "scripts/compose_certs.sh", tmp_path / "s"]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        return {path.name: path.read_bytes() for path in (tmp_path / "s").iterdir()}

    first, second = run(), run()
    assert first == second
    words = {name: text for name, text in first.items() if name.endswith(("password", "token"))}
    assert len(set(words.values())) == len(words) == 7
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "s/ca.key").stat().st_mode & 0o777 == 0o400
    (tmp_path / "s/api_token").unlink()
    third = run()
    assert {name for name in third if third[name] != first[name]} == {"api_token"}
    ignored = (ROOT / ".gitignore").read_text().split()
    assert {"deploy/secrets/", ".env"} <= set(ignored)


def test_the_certificates_are_of_the_authority_and_of_the_names_in_the_addresses(compose):
    folder = compose.secrets
    checked = subprocess.run(
        ["openssl", "verify", "-CAfile", folder / "ca.pem", "-verify_hostname", "opensearch",
         "-purpose", "sslserver", folder / "opensearch.pem"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr
    named = (ROOT / "deploy/opensearch/opensearch.yml").read_text()
    for certificate, setting in (("opensearch", "nodes_dn"), ("admin", "authcz.admin_dn")):
        subject = subprocess.run(
            ["openssl", "x509", "-in", folder / f"{certificate}.pem", "-noout", "-subject",
             "-nameopt", "RFC2253"],
            capture_output=True, text=True, check=True,
        ).stdout.strip().removeprefix("subject=")  # fmt: skip
        assert f'plugins.security.{setting}: ["{subject}"]' in named


def test_the_licence_of_every_image_is_named(compose):
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    bases = re.findall(r"^FROM (\S+):", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    for base in bases:
        assert f"`{base}`" in notice
    for service in compose.services.values():
        image = service["image"].partition(":")[0]
        assert image == "seoga" or f"\n| {image} " in notice, image


# -- names what exists -----------------------------------------------------------------------------


def test_every_command_of_ours_can_be_called_so(compose):
    for place, words in seoga_commands(compose):
        command: click.Command = cli
        context, rest = click.Context(cli, info_name="seoga"), list(words)
        while isinstance(command, click.Group):
            found = command.get_command(context, rest.pop(0))
            assert found is not None, (place, words)
            command = found
        command.make_context("seoga", rest, parent=context)  # raises where an option is unknown


def test_the_check_of_a_worker_looks_at_the_file_that_it_touches(compose):
    pulsing = {n: s for n, s in compose.ours().items() if "--pulse" in s["command"]}
    assert pulsing.keys() == compose.ours().keys() - {"api", *ONCE}
    for name, service in pulsing.items():
        file = service["command"][service["command"].index("--pulse") + 1]
        assert f"find {file} -mmin" in service["healthcheck"]["test"][1], name
        assert [t for t in service["tmpfs"] if file.startswith(t.split(":")[0] + "/")], name


def test_each_queue_is_worked_on_by_one_service(compose):
    worked = [
        queue
        for service in compose.ours().values()
        if service["command"][0] == "worker"
        for queue in service["command"][service["command"].index("--queues") + 1].split(",")
    ]
    assert sorted(worked) == sorted(kind.value for kind in TaskKind)


def test_every_variable_of_ours_is_a_setting_and_all_of_them_together_are_sound(compose, tmp_path):
    config = ROOT / "deploy/seoga.toml"
    for name, service in compose.ours().items():
        environ = dict(service["environment"])
        wanted = {}
        for key, value in environ.items():
            if key.endswith("_FILE") and value.startswith("/run/secrets/"):
                file = Path(compose.data["secrets"][value.rpartition("/")[2]]["file"])
                environ[key] = str(file)
                group, _, field = key[len("SEOGA_") : -len("_FILE")].lower().partition("_")
                if "__" not in key:
                    wanted[group, field] = file.read_text().strip()
        assert environ["SEOGA_CONFIG"] == "/etc/seoga/seoga.toml", name
        found = load_settings({**environ, "SEOGA_CONFIG": str(config), "SEOGA_HOME": str(tmp_path)})
        for (group, field), secret in wanted.items():
            assert getattr(getattr(found, group), field).get_secret_value() == secret, (name, field)
        for key in environ:
            if key.startswith("SEOGA_") and "__" in key:
                group, field = key.removeprefix("SEOGA_").lower().split("__")
                assert field in type(getattr(found, group)).model_fields, key
            elif key.startswith("SEOGA_") and not key.endswith("_FILE"):
                assert key in {"SEOGA_HOME", "SEOGA_CONFIG"}
        assert found.queue.backend == "celery"
        assert found.index.backend == "opensearch"
        assert [str(source.root) for source in found.sources] == ["/srv/share"]
        assert isinstance(found, Settings)


@pytest.mark.parametrize("place", ["docker-compose.yml", "Dockerfile"])
def test_the_check_of_the_api_is_a_program_and_asks_where_it_listens(place, compose):
    if place == "Dockerfile":
        test = json.loads(
            re.search(r"^  CMD (\[.*\])", (ROOT / place).read_text(), re.MULTILINE)[1]
        )
    else:
        test = compose.services["api"]["healthcheck"]["test"][1:]
    assert test[:2] == ["python", "-c"]
    compile(test[2], place, "exec")
    assert "127.0.0.1:8470/v1/health" in test[2]
