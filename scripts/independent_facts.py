"""Facts about documents, found without Seoga's parsers: ``independent_facts.py FOLDER --out FACTS.jsonl [--only hwp,…] [--most N]``.

For judging the parsers on files that nobody has read yet. The lines are those of ``score_facts.py``:

- ``hwp``, ``hwpx``: pyhwp's record models; the section XML (``references/hangul.py``);
- ``eml``, ``msg``: Python's ``email``; property streams (``references/mail.py``);
- ``docx``, ``doc``, ``rtf``: the XML of each part; the piece table; LibreOffice's plain text (``references/word.py``);
- ``pptx``, ``ppt``: python-pptx; text atoms of the current slides (``references/slides.py``);
- ``xlsx``, ``xlsb``, ``xls``, ``ods``, ``csv``, ``tsv``: what LibreOffice displays; Python's ``csv`` (``references/sheets.py``);
- ``odt``, ``odp``, ``html``: ``content.xml``; lxml's HTML parser (``references/markup.py``);
- ``pdf``: lines of poppler's ``pdftotext`` (``references/pages.py``).

Pieces are drawn by a seed, so that a second run asks the same. Nothing of a document's text is kept in the repository.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from references import hangul, mail, markup, pages, sheets, slides, word
from references.found import LONGEST, Found, squeezed

_SHORTEST = 6
_READERS: dict[str, Callable[[Path], Found]] = {
    "hwp": hangul.hwp,
    "hwpx": hangul.hwpx,
    "eml": mail.eml,
    "msg": mail.msg,
    "docx": word.docx,
    "doc": word.doc,
    "rtf": word.rtf,
    "pptx": slides.pptx,
    "ppt": slides.ppt,
    "xlsx": sheets.workbook,
    "xlsb": sheets.workbook,
    "xls": sheets.workbook,
    "ods": sheets.workbook,
    "csv": sheets.csv,
    "tsv": sheets.csv,
    "odt": markup.odf,
    "odp": markup.odf,
    "html": markup.page,
    "pdf": pages.pdf,
}
_Item = TypeVar("_Item")


def main() -> int:
    """Write the facts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default=",".join(_READERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=12, help="facts of each kind from a file")
    options = parser.parse_args()
    kinds = options.only.split(",")
    files = sorted(p for kind in kinds for p in options.folder.rglob(f"*.{kind}"))
    written = 0
    with options.out.open("w", encoding="utf-8") as out:
        for path in files:
            try:
                facts = facts_of(path, random.Random(f"{options.seed}/{path.name}"), options.most)
            except Exception as problem:  # noqa: BLE001  the other tool's failure is said, and the next file goes on
                print(f"{path.name}: {type(problem).__name__}: {problem}", file=sys.stderr)
                continue
            if facts is None:
                print(f"{path.name}: no text found", file=sys.stderr)
                continue
            facts["path"] = str(path.relative_to(options.folder))
            out.write(json.dumps(facts, ensure_ascii=False) + "\n")
            written += 1
    print(f"{written} of {len(files)} files")
    return 0


def facts_of(path: Path, dice: random.Random, most: int) -> dict[str, Any] | None:
    """At most so many facts of each kind about a file, or None where the other tool found no text."""
    found = _READERS[path.suffix[1:].lower()](path)
    pieces = _drawn(_long_enough(found.pieces), most, dice)
    special = _drawn(_long_enough(found.special), most, dice)
    rows = _drawn(found.rows, most, dice)
    if not (pieces or special or rows or found.meta):
        return None
    return {
        "must_contain": [piece[:LONGEST] for piece in (*pieces, *special)],
        "must_not_contain": _drawn(_long_enough(found.gone()), most, dice),
        "order": [text[:LONGEST] for text in _drawn(found.order, most, dice)],
        "tables": [
            *({"row": row} for row in rows),
            *(asdict(value) for value in _drawn(found.values, most, dice)),
        ],
        "meta": found.meta,
        "basis": "independent",
    }


def _long_enough(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if len(squeezed(text)) >= _SHORTEST]


def _drawn(items: Sequence[_Item], most: int, dice: random.Random) -> list[_Item]:
    """At most so many of them, in their order."""
    places = sorted(dice.sample(range(len(items)), min(most, len(items))))
    return [items[at] for at in places]


if __name__ == "__main__":
    raise SystemExit(main())
