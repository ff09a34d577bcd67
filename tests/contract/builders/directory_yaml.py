"""A ``directory.yaml``."""

from __future__ import annotations

import yaml

from acl_sync.registry import DIRECTORIES, DirectoryOptions
from contracts.settings import DirectorySettings


def bench(folder):
    """A bench over ``folder/directory.yaml``."""
    return YamlBench(folder)


class YamlBench:
    """See ``tests/contract/test_directory.py``."""

    realm = "plant"
    nests = True

    def __init__(self, folder):
        self._path = folder / "directory.yaml"

    def write(self, users, groups):
        """From now on these people and groups exist."""
        text = yaml.safe_dump(
            {
                "realm": self.realm,
                "users": users,
                "groups": {name: {"groups": list(outer)} for name, outer in groups.items()},
            },
            allow_unicode=True,
        )
        self._path.write_text(text, encoding="utf-8")

    def directory(self):
        """The adapter."""
        (entry,) = [entry for entry in DIRECTORIES if entry.name == "yaml"]
        settings = DirectorySettings(files=(self._path,), local_accounts=False)
        (made,) = entry.load()(DirectoryOptions(settings=settings))
        return made

    def person(self, name):
        """What entries may name this person alone by."""
        return {f"user:{name}@{self.realm}"}

    def group(self, name):
        """What entries may name this group by."""
        return {f"group:{name}@{self.realm}"}

    def break_down(self):
        """From now on the directory cannot be asked."""
        self._path.unlink()
