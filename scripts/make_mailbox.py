"""Write a mailbox of self-made mails: ``make_mailbox.py FILE --mails N``; every tenth has an attachment."""

from __future__ import annotations

import argparse
import random
from email.message import EmailMessage
from pathlib import Path

_WORDS = "토크 규격 확정 도면 개정 납기 검사 성적서 불량 대책 회의 일정 금형 사출 온도 압력 볼트 너트 브래킷 재시험".split()  # noqa: SIM905


def main() -> int:
    """Write the mailbox."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--mails", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with options.file.open("wb") as out:
        for number in range(options.mails):
            message = EmailMessage()
            message["From"] = f"user{number % 50}@plant.example"
            message["To"] = "all@plant.example"
            message["Subject"] = f"RE: {dice.choice(_WORDS)} {number // 7}"
            message["Date"] = "Tue, 05 Mar 2024 15:00:00 +0900"
            message["Message-ID"] = f"<{number}@plant.example>"
            text = "\n".join(
                " ".join(dice.choices(_WORDS, k=12)) for _ in range(dice.randint(3, 30))
            )
            message.set_content(text)
            if number % 10 == 0:
                message.add_attachment(text.encode(), "text", "plain", filename=f"첨부{number}.txt")
            out.write(b"From user@plant.example Tue Mar  5 15:00:00 2024\n")
            out.write(message.as_bytes().replace(b"\nFrom ", b"\n>From ") + b"\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
