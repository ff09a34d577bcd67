"""Two drives to ingest, and what people do to them meanwhile.

``share`` is the example drive of ``examples/make_share.py``, whose access lists are written in ``acl.yaml``; ``plant`` has
permissions of its own and holds texts, ledgers, mails, archives, copies, revisions and damaged files.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import sys
import zipfile
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import openpyxl
import pymupdf

__all__ = ["Drive"]

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_MODIFIED = 1_712_000_000
_WORDS = [
    "브라켓",
    "하우징",
    "압입",
    "하중",
    "균열",
    "세척",
    "잔류",
    "칩",
    "체결",
    "토크",
    "점검",
    "설비",
    "금형",
    "온도",
    "냉각수",
    "누유",
    "검사",
    "성적서",
    "치수",
    "공차",
    "도면",
    "개정",
    "시정",
    "조치",
    "원인",
    "분석",
    "재발",
    "방지",
    "교육",
    "작업",
    "표준",
    "공정",
    "능력",
    "지수",
    "불량률",
    "납품",
    "수량",
]


class Drive:
    """Two folders, made anew for each round with the same content and times.

    Args:
        folder: Holds ``share`` and ``plant``; every account can pass through it.
        files: How many generated files ``plant`` has, besides a fixed dozen of special ones.
        pages: Pages of a scanned document, to be recognised in slices; 0: nothing is to be recognised.
        seed: Of the generated texts.
    """

    def __init__(self, folder: Path, *, files: int, pages: int = 0, seed: int = 7) -> None:
        self.share, self.plant = folder / "share", folder / "plant"
        self._template = folder / "template"
        self._dice = random.Random(seed)
        folder.mkdir(parents=True, exist_ok=True)
        self._make(files, pages)
        self._added = [self._text(number).encode() for number in range(4)]
        self._protected = _encrypted()

    def reset(self) -> None:
        """As it was before anybody changed anything."""
        for target in (self.share, self.plant):
            if target.exists():
                shutil.rmtree(target)
            shutil.copytree(self._template / target.name, target)

    def change(self) -> None:
        """A day's work: files edited, added, moved and removed, one protected, permissions given and taken."""
        plant = self.plant
        texts = sorted(plant.glob("생산/*/일지_*.txt"))
        for number, path in enumerate(texts[::6]):
            edited = (
                path.read_text(encoding="utf-8") + f"\n정정 {number}: 압입 하중 12.{number} kN\n"
            )
            _write(path, edited.encode(), later=100 + number)
        for path in texts[1::20]:
            path.unlink()
        texts[3].chmod(0o600)
        texts[2].rename(plant / "품질" / texts[2].name)
        (plant / "생산/2호기").rename(plant / "생산/2호기_이전")
        for number, text in enumerate(self._added):
            _write(plant / f"품질/추가_{number}.txt", text, later=200)
        # the owner protects a document: its last good version must be hidden
        _write(plant / "품질/대외비_원가.pdf", self._protected, later=300)
        (plant / "품질").chmod(0o750)
        (plant / "영업/견적_0.xlsx").chmod(0o640)
        lists = self.share / "acl.yaml"
        text = lists.read_text(encoding="utf-8")
        added = "  생산/작업표준:\n    - deny: user:lee\n    - allow: group:staff\nfiles:\n"
        _write(lists, text.replace("files:\n", added).encode(), later=400)

    # -- what it is made of ------------------------------------------------------------------------

    def _make(self, files: int, pages: int) -> None:
        subprocess.run(
            [sys.executable, _EXAMPLES / "make_share.py", self._template / "share"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        if not pages:  # the one scan of the example drive takes as long to read as everything else
            for scan in (self._template / "share").rglob("*_스캔.pdf"):
                scan.unlink()
        plant = self._template / "plant"
        for number in range(files):
            path, data = self._file(number)
            _write(plant / path, data)
        self._specials(plant)
        if pages:
            _write(plant / "품질/스캔_시험성적서.pdf", _scanned(pages))

    def _file(self, number: int) -> tuple[str, bytes]:
        """Mostly short texts; every fifth file a workbook, a mail or an archive."""
        match number % 15:
            case 4:
                return f"영업/견적_{number // 15}.xlsx", self._workbook(number)
            case 9:
                return f"영업/메일/문의_{number // 15:03}.eml", self._mail(number)
            case 14:
                return f"묶음/자료_{number // 15:03}.zip", self._archive(number)
            case _:
                line = f"{number % 3 + 1}호기"
                return f"생산/{line}/일지_{number:04}.txt", self._text(number).encode()

    def _specials(self, plant: Path) -> None:
        for revision in (1, 2, 3):
            text = f"QP-PR-010 압입 작업 절차서\n개정 {revision}\n" + self._text(revision)
            _write(plant / f"품질/QP-PR-010_압입작업절차서_rev{revision}.txt", text.encode())
        copied = self._text(99).encode()
        for name in ("원본", "사본 1", "사본 2"):
            _write(plant / f"생산/공지_{name}.txt", copied)
        _write(plant / "품질/대외비_원가.pdf", _plain_pdf(self._text(5)))
        _write(plant / "품질/잠긴_도면.pdf", _encrypted())
        _write(plant / "품질/깨진_대장.xlsx", self._workbook(3)[:700])
        _write(plant / "품질/빈 파일.txt", b"")
        _write(plant / "생산/~$일지.docx", b"\x03".ljust(162, b"\x00"))
        (plant / "생산/1호기").chmod(0o755)
        _write(plant / "경영/급여.txt", self._text(77).encode())
        (plant / "경영").chmod(0o700)

    def _text(self, number: int) -> str:
        dice = self._dice
        lines = [f"점검 일지 {number}"]
        for paragraph in range(dice.randint(3, 9)):
            words = " ".join(dice.choices(_WORDS, k=40))
            lines.append(f"{paragraph + 1}. HB-{1000 + dice.randint(1, 40)} {words}.")
        return "\n\n".join(lines) + "\n"

    def _workbook(self, number: int) -> bytes:
        book = openpyxl.Workbook()
        sheet = book.create_sheet("견적", 0)
        sheet.append(["품번", "품명", "수량", "단가"])
        for row in range(30):
            name = self._dice.choice(_WORDS)
            sheet.append([f"HB-{1000 + row}", name, (row + 1) * 10, number * 100 + row])
        stored = io.BytesIO()
        book.save(stored)
        return stored.getvalue()

    def _mail(self, number: int) -> bytes:
        message = EmailMessage(policy=SMTP)
        message["Subject"] = f"납기 문의 {number}"
        message["From"], message["To"] = "buyer@example.com", "sales@example.com"
        message["Date"] = "Mon, 04 Mar 2024 09:00:00 +0900"
        message["Message-ID"] = f"<{number}@example.com>"
        message.set_content(self._text(number))
        attached = self._text(number + 1000).encode()
        message.add_attachment(
            attached, maintype="text", subtype="plain", filename="첨부 조건.txt", cte="base64"
        )
        return message.as_bytes()

    def _archive(self, number: int) -> bytes:
        stored = io.BytesIO()
        with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
            for member in range(4):
                archive.writestr(f"자료/기록_{member}.txt", self._text(number * 10 + member))
            archive.writestr("대장.xlsx", self._workbook(number))
        return stored.getvalue()


def _plain_pdf(text: str) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((60, 80), text.splitlines()[0], fontname="korea")
        return bytes(document.tobytes(no_new_id=True))


def _encrypted() -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((60, 80), "cost 120")
        return bytes(
            document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="p", owner_pw="o")
        )


def _scanned(pages: int) -> bytes:
    """Small pages without a text layer: each is a picture of one line."""
    with pymupdf.open() as drawn, pymupdf.open() as scanned:
        for number in range(pages):
            page = drawn.new_page(width=200, height=60)
            page.insert_text((15, 35), f"HB-{1000 + number} load 12.{number:02} kN", fontsize=14)
            picture = page.get_pixmap(dpi=150).tobytes("png")
            target = scanned.new_page(width=200, height=60)
            target.insert_image(target.rect, stream=picture)
        return bytes(scanned.tobytes(no_new_id=True))


def _write(path: Path, data: bytes, later: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (_MODIFIED + later, _MODIFIED + later))
