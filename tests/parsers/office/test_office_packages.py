"""What packages and sheets are read by quickly comes out as by the libraries that read them slowly."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.common.number_format import BUILTIN_FORMATS, format_value
from parsers.common.whole_numbers import LAST_WHOLE, whole_number_writer
from parsers.common.zip_parts import ZipParts

MEMBERS = {"a.xml": b"<a/>" * 900, "표/나.bin": bytes(range(256)) * 20, "empty": b"", "b": b"\0"}
OWN_FORMATS = ("#,##0원", '#,##0"EA"', "000-0000", "0,", '"1호"0', "[>100]0;00", "_-* #,##0_-", "#,##0_ ;[Red]-#,##0", "0.0?", "0;;", "00", "##0.0,")  # fmt: skip


class Unseekable(io.RawIOBase):
    """Makes zipfile write sizes behind the data, as streams do."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:  # noqa: D102
        return True

    def write(self, data) -> int:  # noqa: D102
        self.data += data
        return len(data)


def archive(*, method=zipfile.ZIP_DEFLATED, comment=b"", streamed=False) -> bytes:
    out = Unseekable() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, data in MEMBERS.items():
            made.writestr(name, data)
        made.comment = comment
    return bytes(out.data) if streamed else out.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(data: bytes) -> dict[str, bytes]:
        path = tmp_path / "made.zip"
        path.write_bytes(data)
        with ZipParts(path) as parts:
            found = {part.filename: parts.read(part) for part in parts.parts}
            for part in parts.parts:
                with parts.open(part) as stream:
                    assert stream.read() == found[part.filename]
                    stream.seek(0)
                    assert stream.read(3) == found[part.filename][:3]
        return found

    return read


@pytest.mark.parametrize(
    "made",
    [
        archive(),
        archive(method=zipfile.ZIP_STORED),
        archive(method=zipfile.ZIP_BZIP2),
        archive(comment=b"a comment"),
        archive(streamed=True),
        b"something before it" + archive(),
        archive() + b"something behind it",
    ],
    ids=["deflated", "stored", "bzip2", "comment", "streamed", "before", "behind"],
)
def test_members_are_those_of_zipfile(read, made):
    with zipfile.ZipFile(io.BytesIO(made)) as judge:
        expected = {name: judge.read(name) for name in judge.namelist()}

    assert read(made) == expected == MEMBERS


@settings(deadline=None, max_examples=300)
@given(st.integers(0, len(archive()) - 1), st.integers(1, 255))
def test_damage_never_gives_other_bytes_than_zipfile(tmp_path_factory, at, change):
    made = bytearray(archive())
    made[at] ^= change
    path = tmp_path_factory.mktemp("zip") / "made.zip"
    path.write_bytes(made)

    assert outcome(path, ours=True) == outcome(path, ours=False)


def outcome(path, *, ours):
    """Bytes or the kind of failure of each member, or the failure of all."""
    found = {}
    try:
        with ZipParts(path) if ours else zipfile.ZipFile(path) as archive:
            for part in archive.parts if ours else archive.infolist():
                try:
                    found[part.filename] = archive.read(part)
                except Exception as problem:  # noqa: BLE001  whatever it raises is compared
                    found[part.filename] = type(problem)
    except Exception as problem:  # noqa: BLE001
        return type(problem)
    return found


@pytest.mark.parametrize("code", sorted({*BUILTIN_FORMATS.values(), *OWN_FORMATS}))
def test_whole_numbers_look_as_all_numbers_do(code):
    write = whole_number_writer(code)

    @given(st.integers(1, LAST_WHOLE))
    def alike(number):
        assert write(number) == format_value(float(number), code)

    if write is not None:
        alike()


def test_most_formats_of_whole_numbers_are_easy():
    assert all(map(whole_number_writer, ("General", "0", "#,##0", "0.00", '#,##0"원"')))
