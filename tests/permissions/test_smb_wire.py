"""Answers of a file server that are not what they should be: told, never taken for something else."""

from __future__ import annotations

import hmac
import struct
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers import aead
from hypothesis import given
from hypothesis import strategies as st

from acl_sync.smb.drive import same_object
from acl_sync.smb.ndr import NdrReader, NdrWriter
from acl_sync.smb.seal import Encryption, Signature, UnsealedError
from acl_sync.smb.wire import Found, buffer_of, created, entries_of, nanoseconds, read_of

HEADER = 64
READERS = ("integer", "count", "text", "sid", "conformant", "handle", "status")


def entry(name, *, last=True, file_id=7, attributes=0x80, tag=0):
    """FileIdFullDirectoryInformation (MS-FSCC 2.4.18)."""
    encoded = name.encode("utf-16-le", "surrogatepass")
    size = 80 + len(encoded)
    step = 0 if last else size + -size % 8
    head = struct.pack(
        "<IIqqqqqqIIIIQ", step, 0, 11, 12, 13, 14, 15, 16, attributes, len(encoded), tag, 0, file_id
    )
    return (head + encoded).ljust(step, b"\0")


@given(
    st.lists(st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=20), min_size=1)
)
def test_names_come_as_they_were_sent(names):
    data = b"".join(entry(n, last=i == len(names) - 1, file_id=i + 1) for i, n in enumerate(names))
    found = list(entries_of(data))
    kept = [(n, i + 1) for i, n in enumerate(names) if n not in {".", ".."}]
    assert [(f.name, f.file_id) for f in found] == kept
    assert all((f.created, f.written, f.changed, f.size) == (11, 13, 14, 15) for f in found)


def test_the_size_of_extended_attributes_is_no_tag():
    (plain,) = entries_of(entry("a", tag=0xA000000C))
    (link,) = entries_of(entry("a", attributes=0x400, tag=0xA000000C))
    assert (plain.tag, link.tag) == (0, 0xA000000C)


@pytest.mark.parametrize("number", [0, 2**64 - 1])
def test_a_file_system_without_numbers_has_the_path_stand_for_the_object(number):
    (found,) = entries_of(entry("a", file_id=number))
    assert found.object_id("x/a") != found.object_id("y/a")
    assert found.object_id("x/a") == found.object_id("x/a")
    assert found.may_be(found.object_id("x/a"))


def test_two_looks_are_at_one_object_as_far_as_both_tell():
    """Some file systems have numbers that only one of the two questions is answered with."""
    listed, opened = Found("a", 7, 11, 0, 0, 0, 0), Found("", 7, 11, 0, 0, 0, 0)
    assert same_object(listed, opened)
    assert same_object(listed, replace(opened, file_id=0))
    assert not same_object(listed, replace(opened, file_id=8))
    assert not same_object(listed, replace(opened, created=12))


@given(st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_refused(data):
    for take in (lambda d: list(entries_of(d)), lambda d: created(d, 1), buffer_of, read_of):
        try:
            take(data)
        except ValueError:
            continue


@given(st.text(max_size=8), st.data())
def test_an_answer_that_is_cut_off_is_refused(name, data):
    whole = entry(f"a{name}")
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ValueError, match="cut off"):
        list(entries_of(whole[:cut]))
    body = struct.pack("<HHI", 9, HEADER + 8, len(whole)) + whole
    assert buffer_of(body) == whole
    with pytest.raises(ValueError, match="cut off"):
        buffer_of(body[: 8 + cut])


@given(st.binary(max_size=64), st.lists(st.sampled_from(READERS), max_size=8))
def test_any_bytes_are_a_call_that_was_answered_or_refused(data, calls):
    reader = NdrReader(data)
    for call in calls:
        try:
            getattr(reader, call)()
        except ValueError:
            return


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
    st.integers(0, 2**32 - 1),
)
def test_what_is_written_is_read_again(text, number):
    writer = NdrWriter()
    writer.integer(1, 2)
    writer.text(text)
    writer.integer(number)
    reader = NdrReader(writer.stub)
    assert (reader.integer(2), reader.text(), reader.integer()) == (1, text, number)


def test_times_are_kept_as_far_as_the_catalog_can():
    assert nanoseconds(116_444_736_000_000_000) == 0
    assert nanoseconds(2**63 - 1) == 2**63 - 1
    assert nanoseconds(0) == -(2**63)
    assert Found("", 1, 0, 116_444_736_000_000_001, 0, 0, 0).modified_ns == 100


def signature(key=b"k" * 16):
    """As of SMB 2.1: HMAC-SHA256 of the message with a signature of zeros (MS-SMB2 3.1.4.1)."""
    return Signature(lambda data, _side: hmac.digest(key, data, "sha256")[:16])


def message(flags=0, body=b"body"):
    """A message without a signature."""
    head = struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, 1, 0, 5, 1, flags, 0, 7, 0, 1, 2, b"")
    return bytearray(head + body)


@given(st.binary(max_size=40), st.integers(0), st.integers(1, 255))
def test_a_signed_message_in_which_one_byte_is_another_is_refused(body, place, change):
    seal = signature()
    sent = seal.close([message(body=body)])
    seal.check(sent)
    altered = bytearray(sent)
    altered[place % len(sent)] ^= change
    with pytest.raises(UnsealedError):
        seal.check(bytes(altered))


def test_a_message_that_is_not_signed_is_refused():
    with pytest.raises(UnsealedError, match="not signed"):
        signature().check(bytes(message()))


@pytest.mark.parametrize("cipher", [aead.AESGCM, aead.AESCCM])
@given(place=st.integers(0), change=st.integers(1, 255))
def test_an_encrypted_frame_in_which_one_byte_is_another_is_refused(cipher, place, change):
    ours, theirs = b"o" * 16, b"t" * 16
    here, there = Encryption(cipher, (ours, theirs), 9), Encryption(cipher, (theirs, ours), 9)
    sent = there.close([message(), message()])
    assert here.open(sent) == bytes(message() + message())
    altered = bytearray(sent)
    altered[place % len(sent)] ^= change
    with pytest.raises(UnsealedError):
        here.open(bytes(altered))


def test_a_frame_that_is_not_encrypted_or_of_another_session_is_refused():
    key = b"k" * 16
    seal = Encryption(aead.AESGCM, (key, key), 9)
    for frame in (bytes(message()), b"", Encryption(aead.AESGCM, (key, key), 8).close([message()])):
        with pytest.raises(UnsealedError):
            seal.open(frame)


def test_no_two_messages_are_encrypted_alike():
    seal = Encryption(aead.AESGCM, (b"k" * 16, b"k" * 16), 9)
    assert len({seal.close([message()]) for _ in range(100)}) == 100
