"""Which mails belong to one conversation."""

from __future__ import annotations

import base64

import pytest

from metadata.threads import bare_subject, partner_keys, thread_keys


def keys(**properties: str) -> tuple[str, ...]:
    return thread_keys(properties)


def joined(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return bool(partner_keys(one) & set(other))


def test_a_reply_is_joined_with_what_it_answers_and_refers_to():
    first = keys(message_id="<a@x>", subject="토크")
    second = keys(message_id="<b@x>", in_reply_to="<a@x>", subject="RE: 토크")
    third = keys(message_id="<c@x>", references="<a@x> <b@x>", subject="RE: 토크")
    assert joined(first, second)
    assert joined(second, third)
    assert joined(first, third)


def test_outlooks_index_joins_where_no_mail_is_named():
    index = bytes(range(22))
    first = keys(message_id="<a@x>", thread_index=base64.b64encode(index).decode())
    answer = base64.b64encode(index + b"12345").decode()
    assert joined(first, keys(message_id="<b@x>", thread_index=answer))
    other = base64.b64encode(bytes(22)).decode()
    assert not joined(first, keys(message_id="<c@x>", thread_index=other))


def test_a_reply_that_names_no_mail_is_joined_by_its_subject():
    first = keys(message_id="<a@x>", subject="볼트 토크 확정")
    assert joined(first, keys(message_id="<b@x>", subject="답장: 볼트  토크 확정"))
    assert not joined(first, keys(message_id="<c@x>", subject="RE: 너트 토크 확정"))


def test_two_new_mails_of_one_subject_stay_apart():
    assert not joined(
        keys(message_id="<a@x>", subject="회의록"), keys(message_id="<b@x>", subject="회의록")
    )


@pytest.mark.parametrize(
    "subject",
    [
        "RE: 토크",
        "Re: FW: 토크",
        "[RE] 토크",
        "회신: 토크",
        "RE[2]: 토크",
        "[품질] RE: 토크",
        "전달：토크",
    ],
)
def test_marks_of_answering_are_no_part_of_the_subject(subject):
    assert bare_subject(subject) == ("토크", True)


def test_a_broken_index_is_no_key():
    assert not [key for key in keys(thread_index="%%%") if key.startswith("c:")]
