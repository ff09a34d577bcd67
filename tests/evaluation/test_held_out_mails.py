"""The mails of the held-out set are the mails that their files describe."""

import email
from email.header import decode_header, make_header

import pytest

from evaluation.mails.held_out import held_out_samples, read_sample

FILE = """@headers charset=euc-kr
From: 가나다 <a@b.example>
Subject: 회신
@html charset=cp949 label=ks_c_5601-1987 transfer=base64
- <div>
o <p>확인했습니다 &amp; 보냅니다.</p>
- Best,
c <p>가나다 드림</p>
- <hr>
q <p>&gt; 확인 바랍니다.</p>
"""


def test_a_file_is_a_mail_with_its_truth() -> None:
    sample = read_sample("one", FILE)
    mail = email.message_from_bytes(sample.data)
    assert str(make_header(decode_header(mail["Subject"]))) == "회신"
    assert mail.get_content_charset() == "ks_c_5601-1987"
    payload = mail.get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert "<p>가나다 드림</p>" in payload.decode("cp949")
    assert sample.own == ("확인했습니다 & 보냅니다.",)
    assert sample.closing == ("가나다 드림",)
    assert sample.quoted == ("확인 바랍니다.",)


def test_a_line_that_does_not_say_what_it_is_is_refused() -> None:
    with pytest.raises(ValueError, match="가나다"):
        read_sample("one", FILE.replace("c <p>가나다", "x <p>가나다"))


def test_there_are_enough_mails_and_every_one_has_text() -> None:
    samples = held_out_samples()
    assert len(samples) >= 60
    assert [s for s in samples if not (s.own or s.quoted)] == []
    odd, even = held_out_samples(1), held_out_samples(0)
    assert {s.name for s in odd} | {s.name for s in even} == {s.name for s in samples}
    assert abs(len(odd) - len(even)) <= 1
