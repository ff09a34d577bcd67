"""A folder tree with an ``acl.yaml``."""

from __future__ import annotations

import os
import unicodedata

import yaml

from acl_sync.registry import make_permission_reader
from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

WHO = {
    "everyone": [{"allow": "everyone"}],
    "one": [{"allow": "user:one"}],
    "nobody": [],
}


def bench(folder):
    """A bench over ``folder/root``."""
    return YamlBench(folder)


class YamlBench:
    """See ``tests/contract/test_permission_reader.py``."""

    one = frozenset({"user:one@plant", "group:staff@plant", "everyone@plant"})
    stranger = frozenset({"user:stranger@plant", "everyone@plant"})

    def __init__(self, folder):
        self.root = folder / "root"
        self.root.mkdir(mode=0o755)
        self._settings = SourceSettings(name="drive", root=self.root, acl={"kind": "yaml"})
        self._lists = {"folders": {"": WHO["everyone"]}, "files": {}}
        self._write()

    def source(self):
        """Lists what is there."""
        return make_source(self._settings)

    def reader(self):
        """Reads the lists of what is there."""
        return make_permission_reader(self._settings)

    def put(self, path):
        """An item, in folders that are made where missing."""
        target = self.root / path
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        target.write_bytes(b"x")

    def allow(self, path, who):
        """Let ``everyone``, ``one`` or ``nobody`` read an item, or what is below a folder."""
        kind = "folders" if (self.root / path).is_dir() else "files"
        written = os.fsencode(path).decode("utf-8", "backslashreplace")
        self._lists[kind][unicodedata.normalize("NFC", written)] = WHO[who]
        self._write()

    def say_nothing(self, path):  # noqa: ARG002  of no item
        """No list at all."""
        self._lists = {}
        self._write()

    def hide_list(self, path):  # noqa: ARG002  of no item
        """From now on the lists cannot be read."""
        (self.root / "acl.yaml").unlink()

    def changes(self, path):
        """Ways to change the list of an item: what is done, and a call that does it."""
        return {who: lambda who=who: self.allow(path, who) for who in WHO}

    def wait(self):
        """Nothing here depends on a clock."""

    def _write(self):
        text = yaml.safe_dump({"realm": "plant", **self._lists}, allow_unicode=True)
        (self.root / "acl.yaml").write_text(text, encoding="utf-8")
