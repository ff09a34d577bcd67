"""Rights of several identifiers: what a list lets through is what the server itself lets its users do."""

from __future__ import annotations

import random

import pytest
from imapclient.exceptions import IMAPClientError

from acl_sync.access import passes_gate
from acl_sync.imap import Realm, gates_of

GRANTED = ("l", "lr", "lrs", "lws")
TAKEN = ("r", "w")
IDENTIFIERS = ("kim", "lee", "$qa", "$sales", "!$qa", "authenticated", "anyone")
FIXED = [
    [("anyone", "lr")],
    [("authenticated", "lr"), ("anyone", "l")],
    [("anyone", "lr"), ("authenticated", "l")],
    [("anyone", "lr"), ("kim", "l")],
    [("$qa", "lr"), ("kim", "l")],
    [("$qa", "lr"), ("$sales", "l")],
    [("$qa", "l"), ("$sales", "lr"), ("anyone", "lr")],
    [("!$qa", "l"), ("kim", "lr"), ("choi", "lr")],
    [("!$qa", "lr"), ("kim", "l")],
    [("anyone", "lr"), ("-lee", "r")],
    [("anyone", "lr"), ("-$qa", "r")],
    [("kim", "lr"), ("-$qa", "r")],
    [("kim", "lr"), ("-anyone", "r")],
    [("anyone", "lr"), ("-authenticated", "r")],
    [("-kim", "r")],
    [("$qa", "lr"), ("-kim", "w")],
]


def drawn(number):
    """Lists of a few identifiers, now and then with negative ones."""
    chance = random.Random(20_241_130)  # noqa: S311  a repeatable choice
    for _ in range(number):
        names = chance.sample(IDENTIFIERS, chance.randint(1, 5))
        listed = [(name, chance.choice(GRANTED)) for name in names]
        negative = chance.sample(IDENTIFIERS, chance.choice((0, 0, 1, 1, 2)))
        yield [*listed, *((f"-{name}", chance.choice(TAKEN)) for name in negative)]


def may_read(client, folder):
    """What the server says of its own user."""
    try:
        (told,) = client._command_and_check("myrights", client._normalise_folder(folder).decode())
    except IMAPClientError:
        return False  # not even that it is there
    return b"r" in told.split()[-1]


@pytest.mark.parametrize("lists", [FIXED, list(drawn(100))], ids=["fixed", "drawn"])
def test_who_may_read_is_who_the_server_lets_read(mail, lists):
    server, wrong = mail.server, []
    ours = []
    for number, listed in enumerate(lists):
        folder = f"F{number}"
        mail.client.create_folder(folder)
        for name, rights in listed:
            mail.client.setacl(folder, name, rights)
        ours.append(gates_of(mail.client.rights(folder), Realm("plant"), mail.user))
    for user, groups in server.members.items():
        principals = {f"user:{user}@plant", "everyone@plant", *(f"group:{g}@plant" for g in groups)}
        with server.login(user) as client:
            for number, listed in enumerate(lists):
                theirs = may_read(client, f"shared/{mail.user}/F{number}")
                passed = all(passes_gate(g, frozenset(principals)) for g in ours[number])
                taken = [name for name, _ in listed if name.startswith("-")]
                # of several negative identifiers the server lets the most specific one decide, here each takes away
                stricter = len(taken) > 1 and theirs
                if passed != theirs and not stricter:
                    wrong.append((user, listed, theirs))
    assert wrong == []
