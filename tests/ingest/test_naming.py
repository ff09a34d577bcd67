"""Names that are no documents."""

from __future__ import annotations

import pytest

from contracts.settings import SourceSettings
from ingest.sources.naming import NameRules


@pytest.fixture
def rules(tmp_path):
    return NameRules(SourceSettings(name="s", root=tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        "acl.yaml",
        "directory.yaml",
        "acl.yaml.bak",
        "acl.yaml~",
        "acl.yaml.2026-11-30",
        ".acl.yaml.swp",
        "ACL.yaml.old",
        "acl - 복사본.yaml",
        "acl (1).yaml",
        "directory_old.yml",
        "#directory.yaml#",
        "directory.yaml-20261130",
    ],
)
def test_copies_of_control_files_at_the_root_are_no_documents(rules, name):
    assert rules.unwanted("", name)
    assert rules.unwanted("자료", name) == ""


@pytest.mark.parametrize(
    "name",
    ["acl.txt", "접근 acl.yaml", "acl-목록.xlsx", "directory", "oracle.yaml", "miracle.yaml.bak"],
)
def test_other_names_are(rules, name):
    assert rules.unwanted("", name) == ""
