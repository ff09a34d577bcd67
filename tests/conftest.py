"""Fixtures of all tests: the servers of the modules beside it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Load the helpers beside this file by path: in importlib mode they are no modules of a package."""
    for name in (
        "servers",
        "servers_ad",
        "servers_dovecot",
        "servers_ldap",
        "servers_opensearch",
        "servers_samba",
    ):
        spec = importlib.util.spec_from_file_location(
            f"seoga_tests_{name}", Path(__file__).with_name(f"{name}.py")
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        config.pluginmanager.register(module, module.__name__)
