"""A Samba server of this machine with an ordinary account that reads, and shares on it."""

from __future__ import annotations

import zlib

import pytest

from contracts.settings import SourceSettings
from ingest.sources.registry import make_source

READER = "games"
EVERYONE, FULL, FOR_ALL_BELOW = "S-1-1-0", 0x1F01FF, 0x3


@pytest.fixture(scope="module")
def server(file_server):
    """The server, with an ordinary account that reads."""
    file_server.add_user(READER)
    (file_server.folder / "password").write_text(f"{file_server.password}\n")
    return file_server


class Share:
    """A share, its administrator, and sources over it."""

    def __init__(self, server, name, *options):
        self.server, self.name = server, name
        self.folder = server.folder / name
        server.share(name, self.folder, *options)
        self.client = server.client(name)

    def settings(self, **options):
        """Settings of a source over all of it."""
        values = {
            "name": "files",
            "kind": "smb",
            "url": f"smb://{self.server.host}:{self.server.port}/{self.name}",
            "user": READER,
            "password_file": self.server.folder / "password",
            "timeout_seconds": 5,
            **options,
        }
        return SourceSettings.model_validate(values)

    def source(self, **options):
        """The source."""
        return make_source(self.settings(**options))

    def fill(self, folders, files=3):
        """Folders with files in them."""
        for number in range(folders):
            self.client.make(f"{number:02}")
            for name in range(files):
                self.client.write(f"{number:02}/{name}.txt", b"x" * 10)


@pytest.fixture
def new_share(server, smb_tools):
    """``new_share(name, *options)``: another share, in which whatever is made is everyone's."""
    made = []

    def new(name, *options):
        made.append(Share(server, name, *options))
        everyone = smb_tools.descriptor([("allow", FOR_ALL_BELOW, FULL, EVERYONE)])
        made[-1].client.protect("", everyone)
        return made[-1]

    yield new
    for share in made:
        share.client.close()


@pytest.fixture
def share(new_share, request):
    """A share of this test's own."""
    return new_share(f"s{zlib.crc32(request.node.name.encode())}")
