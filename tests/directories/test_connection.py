"""How servers are reached: encrypted and checked, the next one where one fails, within the time limit."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from acl_sync.registry import DirectoryOptions, make_directories
from contracts.errors import ConfigError, DirectoryDownError
from contracts.settings import DirectorySettings, LdapSettings


def test_a_certificate_of_another_authority_is_refused(tree, domain, open_directory):
    tree.person("kim")
    with pytest.raises(DirectoryDownError, match="certificate is not trusted") as caught:
        open_directory(tree, ca_file=domain.ca_file).reader("kim")
    assert "ca_file" in caught.value.advice
    with pytest.raises(DirectoryDownError, match="certificate is not trusted"):
        open_directory(tree, ca_file=None).reader("kim")


@pytest.mark.parametrize("start_tls", [False, True])
def test_a_certificate_for_another_name_is_refused(tree, open_directory, start_tls):
    tree.person("kim")
    good, port = ("ldap", tree.plain_port) if start_tls else ("ldaps", tree.port)
    with pytest.raises(DirectoryDownError, match=r"certificate is not trusted.*(match|valid)"):
        # the same server by a name that its certificate does not bear
        open_directory(tree, urls=(f"{good}://127.1:{port}",), start_tls=start_tls).reader("kim")


def test_start_tls_is_as_good(tree, open_directory):
    tree.person("kim")
    assert open_directory(tree, urls=(tree.plain_url,), start_tls=True).reader("kim")


def test_a_server_that_answers_without_tls_is_refused(tree, open_directory):
    with pytest.raises(DirectoryDownError, match="TLS"):
        open_directory(tree, urls=(f"ldaps://127.0.0.1:{tree.plain_port}",)).reader("kim")


@pytest.mark.parametrize(
    ("url", "start_tls", "taken"),
    [
        ("ldap://dc1.plant.example", False, False),
        ("ldap://127.0.0.1.plant.example", False, False),
        ("ldap://10.0.0.1:389", False, False),
        ("ldap://dc1.plant.example", True, True),
        ("ldap://127.0.0.1", False, True),
        ("ldap://[::1]:3890", False, True),
        ("ldap://localhost", False, True),
        ("ldaps://dc1.plant.example:6360", False, True),
        ("https://dc1.plant.example", False, False),
        ("dc1.plant.example", False, False),
        ("ldaps://", False, False),
        ("ldaps://dc1:port", False, False),
        ("ldaps://kim:secret@dc1", False, False),
        ("ldaps://dc1/DC=plant", False, False),
    ],
)
def test_passwords_never_travel_in_the_clear(url, start_tls, taken):
    ldap = LdapSettings(name="p", urls=("ldaps://ok", url), base="DC=p", start_tls=start_tls)
    options = DirectoryOptions(settings=DirectorySettings(ldap=(ldap,), local_accounts=False))
    if taken:
        assert len(make_directories(options)) == 1
    else:
        with pytest.raises(ConfigError, match="urls"):
            make_directories(options)


def test_the_next_server_answers_where_one_does_not(tree, open_directory):
    tree.person("kim")
    directory = open_directory(tree, urls=("ldaps://127.0.0.3:1", tree.url))
    assert directory.reader("kim")
    directory.refresh()
    assert directory.refresh().whole is False


def test_a_server_that_is_back_is_asked_again_also_over_kept_connections(tree, open_directory):
    tree.person("kim")
    directory = open_directory(tree)
    before = directory.reader("kim")
    for _ in range(3):
        tree.stop()
        tree.start()
        assert directory.reader("kim") == before
    tree.stop()
    with pytest.raises(DirectoryDownError, match="refused"):
        directory.reader("kim")
    tree.start()
    assert directory.reader("kim") == before


def test_a_silent_server_costs_its_time_limit_once_not_with_every_question(tree, open_directory):
    tree.person("kim")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"ldap://127.0.0.1:{silent.getsockname()[1]}"
        directory = open_directory(tree, urls=(url,), timeout_seconds=1.0)
        begun = time.monotonic()
        with pytest.raises(DirectoryDownError):
            directory.reader("kim")
        first = time.monotonic() - begun
        assert 0.9 < first < 20
        begun = time.monotonic()
        with pytest.raises(DirectoryDownError):
            directory.reader("kim")
        assert time.monotonic() - begun < 0.5
        directory = open_directory(tree, urls=(url, tree.url), timeout_seconds=1.0)
        assert directory.reader("kim")


@pytest.mark.parametrize(
    ("secret", "said"),
    [("wrong\n", "sign in"), ("\n", "empty"), (None, "password_file")],
)
def test_a_wrong_password_is_told_and_none_is_never_taken_for_a_login(
    tree, open_directory, tmp_path, secret, said
):
    tree.person("kim")
    file = tmp_path / "password"
    if secret is not None:
        file.write_text(secret)
    with pytest.raises(DirectoryDownError, match=said) as caught:
        open_directory(tree, password_file=file).reader("kim")
    assert "Passw0rd" not in str(caught.value)
    assert "wrong" not in str(caught.value).replace(str(file), "")


def test_a_base_that_is_not_there_is_told(tree, domain, open_directory):
    for server, base in ((tree, "dc=other"), (domain, "DC=elsewhere,DC=example")):
        directory = open_directory(server, kind="ad" if server is domain else "openldap", base=base)
        with pytest.raises(DirectoryDownError, match="base"):
            directory.refresh()


def test_a_server_with_smaller_pages_is_asked_for_those(tree, open_directory):
    """The tree gives at most 100 entries a page, and at most 100 without pages."""
    for number in range(130):
        tree.person(f"p{number}")
    directory = open_directory(tree, page_size=1000)
    assert directory.refresh().entries >= 130
    assert directory.reader("p129")


def test_threads_share_a_directory(domain, open_directory):
    people = [f"p{number}" for number in range(6)]
    for name in people:
        domain.group(f"g-{name}", [domain.person(name)])
    directory = open_directory(domain)

    def ask(number):
        name = people[number % len(people)]
        found = directory.reader(name).principals
        return {p for p in found if p.startswith("group:g-")} == {f"group:g-{name}@other"}

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(80)))
