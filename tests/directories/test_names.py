"""Distinguished names compare as RFC 4514 and the directory's own rules say, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acl_sync.ldap.openldap_entries import normal_dn
from acl_sync.ldap.sids import guid_text, moment_of, sid_bytes, sid_text

SPECIAL = '\\,+"<>;=#'
VALUES = st.text(
    st.sampled_from([*"abzAZ09 .-'", *SPECIAL, "김", "늘", "é", "ß"]), min_size=1, max_size=6
).filter(lambda text: text.strip())


def escaped(value, how):
    """A value within a name: special characters with a backslash, or all as bytes."""
    if how:
        return "".join(f"\\{byte:02x}" for byte in value.encode())
    text = "".join(f"\\{c}" if c in SPECIAL else c for c in value)
    text = f"\\ {text[1:]}" if text.startswith(" ") else text
    return f"{text[:-1]}\\20" if text.endswith(" ") else text


@given(st.lists(st.tuples(st.sampled_from(["cn", "ou", "dc"]), VALUES), min_size=1, max_size=4))
def test_every_way_to_write_a_name_is_one_name(parts):
    plain = ",".join(f"{kind}={escaped(value, 0)}" for kind, value in parts)
    coded = ",".join(f"{kind.upper()}={escaped(value, 1)}" for kind, value in parts)
    assert normal_dn(plain) == normal_dn(coded) == normal_dn(coded.replace(",", ", "))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("cn=Kim,dc=x", "CN=kim, DC=X", True),
        ("cn=a\\,ou=b,dc=x", "cn=a,ou=b,dc=x", False),
        ("cn=a\\2cou=b,dc=x", "cn=a\\,ou=b,dc=x", True),
        ("cn=a+sn=b,dc=x", "cn=a\\+sn\\=b,dc=x", False),
        ("cn=김하늘,dc=x", "cn=\\ea\\b9\\80하늘,dc=x", True),
        ("cn=a\\\\,b=c,dc=x", "cn=a\\,b=c,dc=x", False),
        ("cn=a\\\\\\,b,dc=x", "cn=a\\,b,dc=x", False),
        ('cn="a,b",dc=x', "cn=a\\,b,dc=x", True),
        ("cn=a;dc=x", "cn=a,dc=x", True),
        ("cn=a  b,dc=x", "cn=a b,dc=x", True),
        ("cn=a,dc=x", "cn=a,dc=x,dc=y", False),
    ],
)
def test_names_that_differ_stay_apart(one, other, same):
    assert (normal_dn(one) == normal_dn(other)) is same


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        # MS-DTYP 2.4.2: revision 1, count, authority (big-endian), sub-authorities (little-endian)
        ("010100000000000100000000", "S-1-1-0"),
        ("01020000000000052000000021020000", "S-1-5-32-545"),
        (
            "010500000000000515000000dcf4dc3b833d2b46828ba62853040000",
            "S-1-5-21-1004336348-1177238915-682003330-1107",
        ),
        ("", ""),
        ("0102000000000005200000", ""),
    ],
)
def test_sids_are_read_from_their_bytes(raw, text):
    assert sid_text(bytes.fromhex(raw)) == text
    if text:
        assert sid_bytes(text) == bytes.fromhex(raw)


def test_guids_and_times_are_read_as_windows_writes_them():
    # MS-DTYP 2.3.4.2 and 2.3.3
    raw = bytes.fromhex("33221100554477668899aabbccddeeff")
    assert guid_text(raw) == "00112233-4455-6677-8899-aabbccddeeff"
    assert guid_text(b"short") == ""
    assert moment_of(116444736000000000).isoformat() == "1970-01-01T00:00:00+00:00"
    for never in (0, -1, 0x7FFFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFE):
        assert moment_of(never) is None
