"""Answers questions of a plant by reading its files with other tools, and compares: is what the generator calls the answer there, alone?

usage: plant_check.py FOLDER [--sample 100] [--seed 5]

FOLDER is what ``seoga eval plant --only-build --out FOLDER`` made. Nothing of the generator or of the product is imported: the files
are read by ``plant_reading.py``. Scans are left out. Exit 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

from plant_reading import Drive, Read, flat

COPIES = ("공용/", "개인/")
COLUMNS = {
    "standard": ("기준",),
    "inspection": ("측정값",),
    "ecn": ("변경 후", "내용"),
    "8d": ("내용",),
    "manual": ("조치", "내용"),
    "letter": ("내용",),
    "mail": ("내용",),
    "zip": ("결과",),
    "secret": ("내용",),
}
"""Header of the column that holds what is asked for."""


def value(file: Read, kind: str, look: list[str]) -> set[str]:
    """What a file gives for a label."""
    label = look[-1]
    if kind == "ledger":
        rows = {re.sub(r"\D", "", c): s for (s, c), v in file.cells.items() if v == look[1]}
        return {file.cells[s, f"{look[2]}{row}"] for row, s in rows.items()}
    if kind == "secret" and file.cells:
        return {
            file.cells[s, f"{c[0]}{int(c[1:]) + 1}"]
            for (s, c), v in file.cells.items()
            if v == label
        }
    if kind == "slides":
        return slide_value(file, label)
    if kind == "drawings":
        return drawing_value(file, look)
    found = {
        by_header(kind, head, row, label) for head, row in file.rows if label in row and row != head
    }
    found |= {file.pair(label)} if not found - {""} else set()
    return found - {""}


def drawing_value(file: Read, look: list[str]) -> set[str]:
    """By the header of the column; 중량 has its unit below."""
    found = set()
    for head, row in file.rows:
        if look[0] in row and look[1] in head:
            found.add(row[head.index(look[1])])
    return found


def slide_value(file: Read, label: str) -> set[str]:
    """Beside the label in a table or chart, or within the sentence of a note."""
    found = {row[1] for head, row in file.rows if row[0] == label and row != head}
    for line in file.lines:
        if label == "가장 나쁜 라인" and (
            match := re.search(r"가장 나쁜 라인은 (.+?) 때문이다", line)
        ):
            found.add(match[1])
        if label == "개선 예산" and (match := re.search(r"개선 예산으로 (.+?)을 신청한다", line)):
            found.add(match[1])
    return found


def by_header(kind: str, head: list[str], row: list[str], label: str) -> str:
    """The cell below the header of a kind, else the one after the label."""
    for name in COLUMNS.get(kind, ()):
        if name in head and head.index(name) < len(row) and row[head.index(name)] != label:
            return row[head.index(name)]
    at = row.index(label)
    return row[at + 1] if at + 1 < len(row) else ""


def versions(files: list[Read], code: str, options: dict[str, object], question: str) -> list[Read]:
    """Of the files of a standard those of the revision that is asked for."""
    mine = [f for f in files if f.pair("문서번호") == code and not f.path.startswith(COPIES)]
    if options.get("include_obsolete"):
        asked = re.search(r"(?:개정 |rev)(\d)", question)
        assert asked is not None  # noqa: S101  such questions name one
        return [f for f in mine if f.pair("개정") == asked[1]]
    approved = [f for f in mine if f.pair("상태") != "초안"]
    if day := options.get("as_of"):
        approved = [f for f in approved if iso(f.pair("시행일")) <= str(day)]
    newest = max((int(f.pair("개정")) for f in approved), default=0)
    return [f for f in approved if int(f.pair("개정")) == newest]


def iso(text: str) -> str:
    """``2025. 3. 4.`` as ``2025-03-04``."""
    year, month, day = re.findall(r"\d+", text)
    return f"{year}-{int(month):02d}-{int(day):02d}"


def minutes_value(files: list[Read], look: list[str], question: dict[str, object]) -> set[str]:
    """Who does it, or until when: both stand in the row of the matter."""
    place = 1 if str(question["fact"]).split("+")[-1].endswith("/who") else 2
    return {row[place] for f in files for head, row in f.rows if row[0] == look[1] and row != head}


def looked_up(
    drive: Drive, question: dict[str, object], look: list[str]
) -> tuple[set[str], set[str]]:
    """What other tools find: answers, and the paths that give them."""
    kind = str(question["kind"])
    if kind == "ledger":
        files = [f for f in drive.files if look[0] in f.path]
    else:
        files = drive.having(look[0])
    if kind == "standard":
        files = versions(files, look[0], question["options"], str(question["question"]))
    if kind == "minutes":
        return minutes_value(files, look, question), {f.path for f in files}
    by_path = {f.path: value(f, kind, look) for f in files}
    return set().union(*by_path.values()) if by_path else set(), {
        p for p, v in by_path.items() if v
    }


def problems(drive: Drive, question: dict[str, object]) -> list[str]:
    """What is wrong with a question; none where it is as it should be."""
    looks = question["looks"]
    if question["type"] == "unanswerable":
        return [f"stands in {f.path}" for f in drive.having(*looks[0])]
    found = []
    answers = list(question["answer"])
    pairs = (
        list(zip(looks, answers, strict=True))
        if len(looks) == len(answers)
        else [(looks[-1], answers[0])]
    )
    for look, answer in pairs:
        got, paths = looked_up(drive, question, look)
        if {flat(g) for g in got} != {flat(answer)}:
            found.append(f"{look}: {sorted(got)}, not {answer!r}")
        reader = str(question["reader"])
        readable = [p for p in paths if drive.may_read(reader, p)]
        if question["answerable"] and not readable:
            found.append(f"{reader} may read none of {sorted(paths)}")
        if not question["answerable"] and readable:
            found.append(f"{reader} may read {readable}")
    return found


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=5)
    chosen = parser.parse_args()
    lines = (chosen.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [q for q in map(json.loads, lines) if q["kind"] != "scan"]
    sample = random.Random(chosen.seed).sample(questions, min(chosen.sample, len(questions)))
    drive = Drive(chosen.folder / "share")
    wrong = {q["id"]: found for q in sample if (found := problems(drive, q))}
    for name, found in wrong.items():
        print(name, *found, sep="\n   ")
    names = [
        q["id"]
        for q in map(json.loads, lines)
        for a in q["answer"]
        for d in drive.files
        if flat(a)[3:] and a in d.path
    ]
    print(f"answers within file names: {sorted(set(names))}")
    print(
        f"{len(sample)} questions {dict(Counter(q['type'] for q in sample))}, wrong: {len(wrong)}"
    )
    return 1 if wrong or names else 0


if __name__ == "__main__":
    sys.exit(main())
