"""What helps to find a fault from afar: states, numbers and settings; no text, name or path of any document, and no secret."""

from __future__ import annotations

import json
import platform
import re
import zipfile
from importlib.metadata import distributions
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from catalog.catalog import Catalog
    from contracts.settings import Settings

__all__ = ["write_bundle"]

_RUNS = 200
_TASKS = 500
_PASSWORD = re.compile(r"(://[^/\s:@]*):[^/\s@]*@")


def write_bundle(settings: Settings, catalog: Catalog, file: Path) -> list[str]:
    """Write the bundle; the names of its parts.

    Alerts, messages and details may name files: of those only their length is told. Accounts, hosts and roots of sources are left out.
    """
    parts = {
        "versions.json": _versions(),
        "settings.json": _settings(settings),
        "status.json": _status(settings, catalog),
        "runs.json": [_run(run) for run in catalog.runs.list(limit=_RUNS)],
        "tasks.json": _tasks(catalog),
        "outcomes.json": [
            dict(row)
            for row in catalog.browse.outcome_counts("source", "kind", "failure", "format")
        ],
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in parts.items():
            archive.writestr(name, json.dumps(value, ensure_ascii=False, indent=1, default=str))
    file.chmod(0o600)
    return list(parts)


def _versions() -> dict[str, Any]:
    from catalog.migrate import HEAD_REVISION

    packages = {found.metadata["Name"]: found.version for found in distributions()}
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "catalog_revision": HEAD_REVISION,
        "packages": dict(sorted(packages.items())),
    }


def _settings(settings: Settings) -> dict[str, Any]:
    """All groups; secrets are hidden by their type, passwords in addresses here, and sources are told by kind and schedules."""
    found: dict[str, Any] = settings.model_dump(
        mode="json", exclude={"sources", "home", "directory", "dashboard"}
    )
    found["directory"] = settings.directory.model_dump(
        mode="json", include={"cache_seconds", "local_accounts"}
    )
    found["directory"]["ldap"] = len(settings.directory.ldap)
    shown = {"name", "kind", "content_schedule", "permission_schedule", "full_permission_schedule"}
    shown |= {"deletion_guard_share", "deletion_guard_items", "fetch_per_second", "fetch_burst"}
    found["sources"] = [one.model_dump(mode="json", include=shown) for one in settings.sources]
    plain: dict[str, Any] = json.loads(_PASSWORD.sub(r"\1:***@", json.dumps(found)))
    return plain


def _status(settings: Settings, catalog: Catalog) -> dict[str, Any]:
    from app.commands.status import status_object

    found = status_object(settings, catalog)
    found.pop("home")
    for source in found["sources"]:
        source["alert"] = len(source["alert"])
        if source["canary"]:
            source["canary"]["problem"] = len(source["canary"]["problem"])
    return found


def _run(run: Any) -> dict[str, Any]:
    names = ("run_id", "kind", "source", "started_at", "finished_at", "state", "heartbeat_at")
    return {n: getattr(run, n) for n in names} | {
        "counts": dict(run.counts),
        "message": len(run.message),
    }


def _tasks(catalog: Catalog) -> list[dict[str, Any]]:
    """Tasks that wait, run or are parked: kinds and failures, not what they are about."""
    from catalog.tasks import TaskFilter
    from contracts.tasks import TaskState

    states = (TaskState.PARKED, TaskState.RUNNING, TaskState.QUEUED)
    found = [
        task
        for state in states
        for task in catalog.tasks.list(
            TaskFilter(keys=None, kind=None, source=None, state=state), limit=_TASKS
        )
    ]
    return [
        {
            "kind": task.request.kind,
            "source": task.request.source,
            "size": task.request.size,
            "state": task.state,
            "attempts": task.attempts,
            "failure": task.failure,
            "enqueued_at": task.enqueued_at,
            "lease_until": task.lease_until,
        }
        for task in found
    ]
