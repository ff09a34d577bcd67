"""Compare our HWP 5 reader with pyhwp: files opened, characters, seconds (docs/decisions/0003-hwp-reader.md).

usage: python scripts/bench_hwp_readers.py FOLDER           one line a reader over all .hwp files below FOLDER
       python scripts/bench_hwp_readers.py --print READER FILE   that reader's Markdown, for a scoring tool
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from contracts.errors import ParseFailure
from contracts.parsing import Parser, ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import SpoolContext, full_budget
from parsers.hwp import HwpParser, PyhwpParser
from parsers.markdown import document_lines

READERS: dict[str, type[Parser]] = {"ours": HwpParser, "pyhwp": PyhwpParser}


def parse(reader: str, path: Path, spool: Path) -> str:
    """Markdown of one file.

    Raises:
        ParseFailure: the reader does not open it.
    """
    limits = ParseSettings()
    context = SpoolContext(
        limits=limits,
        ocr=OcrSettings(),
        budget=full_budget(limits),
        spool_folder=spool,
        container_bytes=path.stat().st_size,
    )
    source = ParserInput(path=path, name=path.name, format="hwp")
    return "\n".join(document_lines(READERS[reader]().parse(source, context)))


def measure(reader: str, files: list[Path], spool: Path) -> str:
    """Files opened, characters, total, median and longest time of one reader."""
    seconds = []
    opened = characters = 0
    for path in files:
        start = time.perf_counter()
        try:
            characters += len("".join(parse(reader, path, spool).split()))
            opened += 1
        except ParseFailure:
            pass
        seconds.append(time.perf_counter() - start)
    return (
        f"{reader:6} opened {opened}/{len(files)}  characters {characters}  total {sum(seconds):.2f} s"
        f"  median {statistics.median(seconds):.3f} s  longest {max(seconds):.3f} s"
    )


def main() -> int:
    """Run; 0, or 3 where a single file does not open."""
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        spool = Path(folder)
        if arguments[:1] == ["--print"]:
            try:
                print(parse(arguments[1], Path(arguments[2]), spool))
            except ParseFailure as failure:
                print(failure, file=sys.stderr)
                return 3
            return 0
        files = sorted(Path(arguments[0]).rglob("*.hwp"))
        for reader in READERS:
            print(measure(reader, files, spool))
    return 0


if __name__ == "__main__":
    sys.exit(main())
