"""Two real Active Directory domains: an account of one in groups of the other, through what stands for it there."""

from __future__ import annotations

import pytest

from acl_sync.directory import CombinedDirectory
from contracts.errors import DirectoryDownError, UnknownReaderError

LOCAL_GROUP = -0x7FFFFFFC


@pytest.fixture
def plant(domain_controller, tmp_path):
    """The domain PLANT, as ``open_directory`` takes it; its reading account is the administrator."""
    if domain_controller._process is None:
        domain_controller.start()
    file = tmp_path / "plant-password"
    file.write_text(domain_controller.password)
    return {
        "name": "plant",
        "urls": (f"ldaps://{domain_controller.host}",),
        "base": domain_controller.base,
        "user": f"{domain_controller.administrator}@{domain_controller.realm}",
        "password_file": file,
        "ca_file": domain_controller.ca_file,
    }


def test_groups_of_another_domain_count_live_from_the_snapshot_and_else_nobody_is_anybody(
    domain, domain_controller, plant, open_directory, clock
):
    sid = domain_controller.add_user("kim")
    domain_controller.add_user("lee")
    domain_controller.add_group("품질", "kim")
    inside = domain_controller.sid("품질")
    by_person = domain.group("by-person", [f"<SID={sid}>"], groupType=LOCAL_GROUP)
    domain.group("by-group", [f"<SID={inside}>"], groupType=LOCAL_GROUP)
    domain.group("outer", [by_person], groupType=LOCAL_GROUP)
    domain.group("others", [f"<SID={domain_controller.sid('lee')}>"], groupType=LOCAL_GROUP)
    domain.person("kim")
    theirs = open_directory(domain)
    ours = open_directory(domain, **plant)
    ours.join([ours, theirs])
    theirs.join([ours, theirs])
    combined = CombinedDirectory([ours, theirs], cache_seconds=0)

    def foreign(reader):
        return {p for p in reader.principals if p.startswith("group:") and p.endswith("@other")}

    wanted = {f"group:{name}@other" for name in ("by-person", "by-group", "outer")}
    live = combined.reader("kim@plant")
    assert foreign(live) == wanted
    assert f"sid:{domain.sid(by_person)}" in live.principals
    assert foreign(combined.group("품질@plant")) == {"group:by-group@other"}
    assert foreign(combined.reader("lee@plant")) == {"group:others@other"}
    assert not {p for p in combined.reader("kim@other").principals if p.endswith("@plant")}
    with pytest.raises(UnknownReaderError, match="more than one directory"):
        combined.reader("kim")
    for directory in (ours, theirs):
        directory.refresh()

    _stands_in(domain, domain_controller, (ours, theirs), combined, live, clock)
    domain.start()
    domain.change(by_person, member=None)
    assert foreign(combined.reader("kim@plant")) == {"group:by-group@other"}


def _stands_in(domain, domain_controller, directories, combined, live, clock):
    """What follows when one domain stops, then the other, then both."""
    ours, theirs = directories
    domain.stop()  # the other domain is down: its snapshot stands in
    assert combined.reader("kim@plant").principals == live.principals
    clock.add(601)
    ours.refresh()
    with pytest.raises(DirectoryDownError):  # a group that is not known may be one that is denied
        combined.reader("kim@plant")
    domain.start()
    assert combined.reader("kim@plant").principals == live.principals
    theirs.refresh()

    domain_controller.stop()  # one's own is down: the other one still says who is in its groups
    assert combined.reader("kim@plant").principals == live.principals
    domain.stop()
    assert combined.reader("kim@plant").principals == live.principals
