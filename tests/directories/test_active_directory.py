"""A real Active Directory domain, asked live."""

from __future__ import annotations

import unicodedata

import ldap3
import pytest

from acl_sync.directory import CombinedDirectory
from contracts.errors import UnknownReaderError

DOMAIN_USERS = "group:Domain Users@other"
LOCAL_GROUP = -0x7FFFFFFC
MAIL_ONLY = 0x2


def groups(reader):
    """Names of the test's own groups among the principals."""
    usual = {DOMAIN_USERS, "group:Users@other"}
    found = {p for p in reader.principals if p.startswith("group:")} - usual
    return {p.removeprefix("group:").removesuffix("@other") for p in found}


def test_a_person_is_found_by_every_name_that_the_domain_gives_them(domain, open_directory):
    dn = domain.person("kim", userPrincipalName="haneul.kim@corp.example", mail="kim@mail.example")
    directory = open_directory(domain)
    sid = f"sid:{domain.sid(dn)}"
    for name in (
        "kim",
        "KIM",
        "kim@other",
        "kim@other.example",
        "haneul.kim@corp.example",
        "kim@mail.example",
        "OTHER\\kim",
        "other.example\\kim",
    ):
        found = directory.reader(name)
        assert sid in found.principals
        assert (found.name, found.realm) == (name, "other")
    for name in ("PLANT\\kim", "\\kim", "kim@plant.example", "haneul.kim", "kim\\kim", sid):
        with pytest.raises(UnknownReaderError):
            directory.reader(name)


def test_a_name_that_means_two_accounts_is_nobody(domain, open_directory):
    domain.person("kim", mail="shared@mail.example")
    domain.person("lee", userPrincipalName="shared@mail.example")
    directory = open_directory(domain)
    with pytest.raises(UnknownReaderError, match="more than one"):
        directory.reader("shared@mail.example")
    assert directory.reader("kim").principals != directory.reader("lee").principals


def test_another_attribute_may_name_people(domain, open_directory):
    domain.person("kim", employeeID="2024-0117")
    directory = open_directory(domain, user_attribute="employeeID")
    assert "user:kim@other" in directory.reader("2024-0117").principals
    with pytest.raises(UnknownReaderError):
        directory.reader("kim")


@pytest.mark.parametrize(
    "name",
    [
        "*",
        "k*",
        "kim)(objectClass=*",
        "(kim)",
        "kim)",
        "kim\\2a",
        "\\2a",
        "*)(uid=*",
        "&",
        "|(a=*)",
    ],
)
def test_no_name_is_a_filter(domain, open_directory, name):
    domain.person("kim")
    domain.group("qa")
    directory = open_directory(domain)
    for call in (directory.reader, directory.group):
        with pytest.raises(UnknownReaderError):
            call(name)


@pytest.mark.parametrize(
    ("account", "common_name"),
    [
        ("김하늘", "김하늘 (품질) *"),
        ("o'brien(qa)", 'O\'Brien \\(QA\\), "8D" + #1 <x>;'),
        ("a#b&c%d", " 앞 칸과 뒤 칸 "),
        ("홍길동-_.!$", "CN=x,OU=y"),
    ],
)
def test_names_with_any_letters_are_looked_up_and_followed(
    domain, open_directory, account, common_name
):
    escaped = "".join(f"\\{byte:02x}" for byte in common_name.encode())
    dn = f"CN={escaped},{domain.place}"
    secret = f'"{domain.password}"'.encode("utf-16-le")
    domain.add(dn, "user", sAMAccountName=account, userAccountControl=0x10200, unicodePwd=secret)
    group = f"CN={escaped} 그룹,{domain.place}"
    domain.add(group, "group", sAMAccountName=f"{account} 그룹", groupType=-0x7FFFFFFE, member=[dn])
    outer = domain.group("바깥", [group], groupType=LOCAL_GROUP)
    directory = open_directory(domain)
    found = directory.reader(account)
    assert groups(found) == {f"{account} 그룹", "바깥"}
    assert f"sid:{domain.sid(outer)}" in found.principals
    assert directory.reader(unicodedata.normalize("NFD", account)).principals == found.principals
    assert groups(directory.group(f"{account} 그룹")) == {f"{account} 그룹", "바깥"}
    directory.refresh()
    domain.stop()
    assert directory.reader(account).principals == found.principals


def test_the_primary_group_counts_though_it_lists_nobody(domain, open_directory):
    dn = domain.person("kim")
    group = domain.group("작업자", [dn])
    domain.change(dn, primaryGroupID=int(domain.sid(group).rpartition("-")[2]))
    (entry,) = domain.entries("(sAMAccountName=작업자)", "member")
    assert not entry["attributes"]["member"]
    directory = open_directory(domain)
    live = directory.reader("kim")
    assert groups(live) == {"작업자"}
    directory.refresh()
    domain.stop()
    assert directory.reader("kim").principals == live.principals


def test_a_group_for_mail_only_gives_nothing_and_carries_nothing(domain, open_directory):
    dn = domain.person("kim")
    mail = domain.group("mail", [dn], groupType=MAIL_ONLY)
    domain.group("behind", [mail], groupType=LOCAL_GROUP)
    directory = open_directory(domain)
    live = directory.reader("kim")
    assert groups(live) == set()
    for name in ("mail", "mail@other"):
        with pytest.raises(UnknownReaderError):
            directory.group(name)
    directory.refresh()
    domain.stop()
    assert directory.reader("kim").principals == live.principals


def test_everyone_and_those_who_signed_in_are_named_by_their_well_known_sids(
    domain, open_directory
):
    domain.person("kim")
    principals = open_directory(domain).reader("kim").principals
    assert {"sid:S-1-1-0", "sid:S-1-5-11", "sid:S-1-5-2", "sid:S-1-5-32-545"} <= principals
    assert not {"sid:S-1-5-32-544", "sid:S-1-5-7", "sid:S-1-3-0", "sid:S-1-5-4"} & principals


def test_a_locked_account_is_nobody_until_it_is_unlocked(domain, open_directory, clock):
    dn = domain.person("kim")
    domain.change(domain.base, lockoutThreshold=2, lockoutDuration=-600 * 10**7)
    directory = open_directory(domain)
    try:
        before = directory.reader("kim").principals
        for _ in range(3):
            server = ldap3.Server(domain.url, get_info=ldap3.NONE)
            failing = ldap3.Connection(server, "kim@OTHER.EXAMPLE", "wrong")
            assert not failing.bind()
            failing.strategy.close()
        with pytest.raises(UnknownReaderError, match="locked"):
            directory.reader("kim")
        directory.refresh()
        domain.stop()
        with pytest.raises(UnknownReaderError, match="locked"):
            directory.reader("kim")
        clock.add(599)
        with pytest.raises(UnknownReaderError, match="locked"):
            directory.reader("kim")
        domain.start()
        clock.add(-599)
        domain.change(dn, lockoutTime=0)
        assert directory.reader("kim").principals == before
    finally:
        domain.change(domain.base, lockoutThreshold=0, lockoutDuration=-1800 * 10**7)


def test_a_computer_is_no_person(domain, open_directory):
    dn = f"CN=pc1,{domain.place}"
    domain.add(dn, "computer", sAMAccountName="pc1$", userAccountControl=0x1000)
    directory = open_directory(domain)
    for name in ("pc1$", "pc1", "DC2$"):
        with pytest.raises(UnknownReaderError):
            directory.reader(name)


def test_somebody_outside_the_base_is_nobody_though_their_groups_would_count(
    domain, open_directory
):
    kim, lee = domain.person("kim"), domain.person("lee")
    domain.group("qa", [kim, lee])
    domain.move(lee, "CN=lee", f"CN=Users,{domain.base}")
    try:
        directory = open_directory(domain, base=domain.place)
        assert groups(directory.reader("kim")) == {"qa"}
        with pytest.raises(UnknownReaderError):
            directory.reader("lee")
    finally:
        domain.remove(f"CN=lee,CN=Users,{domain.base}")


def test_changes_count_within_the_cache_time(domain, open_directory):
    """Nested membership, a move from group to group, a new name, a group that goes: each with the next question."""
    kim = domain.person("kim")
    inner = domain.group("inner", [kim])
    domain.group("outer", [inner], groupType=LOCAL_GROUP)
    domain.group("elsewhere")
    seconds = [0.0]
    combined = CombinedDirectory(
        [open_directory(domain)], cache_seconds=60, clock=lambda: seconds[0]
    )
    place = domain.place

    def after(*, seen):
        seconds[0] += 60
        found = combined.reader("kim")
        assert groups(found) == seen
        return found

    first = after(seen={"inner", "outer"})
    domain.change(f"CN=outer,{place}", member=None)
    seconds[0] += 59
    assert combined.reader("kim") == first
    seconds[0] -= 59
    after(seen={"inner"})
    domain.change(inner, member=None)
    domain.change(f"CN=elsewhere,{place}", member=[kim])
    after(seen={"elsewhere"})
    domain.move(f"CN=elsewhere,{place}", "CN=renamed")
    domain.change(f"CN=renamed,{place}", sAMAccountName="renamed")
    after(seen={"renamed"})
    domain.change(kim, sAMAccountName="kim2")
    seconds[0] += 60
    with pytest.raises(UnknownReaderError):
        combined.reader("kim")
    renamed = combined.reader("kim2")
    assert renamed.account == first.account
    domain.remove(f"CN=renamed,{place}")
    seconds[0] += 60
    assert groups(combined.reader("kim2")) == set()


def test_a_removed_and_made_again_account_is_somebody_else(domain, open_directory):
    dn = domain.person("kim")
    directory = open_directory(domain)
    first = directory.reader("kim")
    domain.remove(dn)
    with pytest.raises(UnknownReaderError):
        directory.reader("kim")
    domain.person("kim")
    again = directory.reader("kim")
    assert not again.account & first.account
    (sid,) = (p for p in first.account if p.startswith("sid:"))
    assert sid not in again.principals


def test_a_sid_of_an_earlier_domain_counts(domain, open_directory):
    """``sIDHistory`` can be written only into the database itself, while the server stands still."""
    domain.person("kim")
    old = "S-1-5-21-1004336348-1177238915-682003330-1107"
    domain.stop()
    domain.write_sid_history("kim", old)
    domain.start()
    directory = open_directory(domain)
    live = directory.reader("kim")
    assert f"sid:{old}" in live.principals
    assert f"sid:{old}" not in live.account
    directory.refresh()
    domain.stop()
    assert directory.reader("kim").principals == live.principals


def test_names_of_sids_are_told(domain, open_directory):
    kim, qa = domain.person("kim"), domain.group("품질")
    combined = CombinedDirectory([open_directory(domain)])
    asked = {
        f"sid:{domain.sid(kim)}",
        f"sid:{domain.sid(qa)}",
        "sid:S-1-5-32-545",
        "sid:S-1-5-21-1-2-3-4",
    }
    assert combined.names(asked) == {
        f"sid:{domain.sid(kim)}": "kim@other",
        f"sid:{domain.sid(qa)}": "품질@other",
        "sid:S-1-5-32-545": "Users@other",
    }
