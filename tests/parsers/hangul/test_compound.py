"""Compound files: what is in them, sound or damaged, beside what olefile reads."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import olefile
import pytest

from parsers.common.compound import CompoundError, CompoundFile
from parsers.common.compound_writer import compound_bytes

STREAMS = {
    "FileHeader": b"short",
    "Docs/Long": bytes(range(256)) * 40,
    "Docs/Also long": b"x" * 4096,
    "문서 정보": "가나다".encode(),
    "Empty": b"",
}


@pytest.fixture
def made(build: SimpleNamespace) -> bytes:
    return bytes(build.ole_file(STREAMS))


def content(compound: CompoundFile) -> dict[str, bytes]:
    return {path: compound.read(path) or b"" for path in compound.streams}


def test_streams_long_and_short_are_read_by_names_of_any_case(made: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.hwp"
    path.write_bytes(made)
    with CompoundFile(path) as compound:
        assert content(compound) == STREAMS
        assert compound.read("fileheader") == b"short"
        assert compound.read("docs/LONG", 5) == bytes(range(5))
        assert compound.read("Docs") is None
        assert [entry.path for entry in compound.entries if not entry.is_stream] == ["Docs"]


@pytest.mark.parametrize("size", [300, 8 << 20, 17 << 20])
def test_what_is_written_is_what_others_read(size: int, tmp_path: Path) -> None:
    # From 7 MB on the header does not name all tables of sectors, from 16 MB on the file is mapped.
    streams = {
        "Large": random.Random(size).randbytes(size),  # noqa: S311  not for secrets
        **{f"Folder {name}/긴 이름 {name}": bytes(name * 7) for name in range(40)},
        "Folder 3/Below/Empty": b"",
    }
    path = tmp_path / "large.bin"
    path.write_bytes(compound_bytes(streams))
    with olefile.OleFileIO(path, raise_defects=olefile.DEFECT_INCORRECT) as ole:
        names = ole.listdir()
        assert {"/".join(name): ole.openstream(name).read() for name in names} == streams
    with CompoundFile(path) as compound:
        assert content(compound) == streams


@pytest.mark.parametrize("kept", [0, 7, 511, 700])
def test_what_is_cut_off_early_is_no_compound_file(made: bytes, kept: int) -> None:
    with pytest.raises(CompoundError):
        CompoundFile(made[:kept])


def test_sectors_that_go_in_circles_end(build: SimpleNamespace) -> None:
    data = bytearray(build.ole_file({"Long": b"y" * 8192}))
    table = int.from_bytes(data[76:80], "little") + 1
    with CompoundFile(bytes(data)) as compound:
        entry = compound.find("Long")
        assert entry is not None
        first = entry.start
        assert not compound.goes_in_circles("Long")
    data[table * 512 + 4 * (first + 3) : table * 512 + 4 * (first + 4)] = first.to_bytes(
        4, "little"
    )
    with CompoundFile(bytes(data)) as compound:
        assert compound.goes_in_circles("Long")
        assert compound.read("Long") == b"y" * 8192


def by_olefile(data: bytes) -> dict[str, bytes] | None:
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            names = ole.listdir()
            return {"/".join(name): ole.openstream(name).read() for name in names}
    except Exception:  # noqa: BLE001  olefile has no error class of its own for damaged files
        return None


def flipped(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 2, 5))):
        out[rng.randrange(30, len(out))] = rng.randrange(256)
    return bytes(out)


def overwritten(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(30, len(data))
    size = rng.choice((1, 4, 64, 512))
    return data[:start] + rng.choice((b"\0", b"\xff", b"A")) * size + data[start + size :]


@pytest.mark.parametrize("damage", [flipped, overwritten])
def test_damaged_files_are_read_as_far_as_olefile_reads_them(
    made: bytes, damage: Callable[[bytes, random.Random], bytes]
) -> None:
    rng = random.Random(7)  # noqa: S311  not for secrets
    compared = 0
    for _ in range(200):
        data = damage(made, rng)
        expected = by_olefile(data)
        if expected is not None:
            compared += 1
            assert content(CompoundFile(data)) == expected
    assert compared > 50
