"""One reader, warm, for ``bench_parse.py``: reads paths from standard input, answers a line of JSON a file.

usage: peer_reader.py seoga|seoga-without-ocr|kreuzberg|markitdown|pymupdf4llm|tika OUT [ADDRESS]

The texts lie in OUT under the SHA-256 of the path. Runs in the reader's own environment, so it imports nothing but that reader;
``tika`` asks a server that runs at ADDRESS.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

Read = Callable[[Path], tuple[str, float | None]]
"""The text of a file, and the seconds that the file alone took where what lies within it was read apart."""


def _seoga(*, ocr: bool) -> Read:
    import tempfile

    from contracts.settings import OcrSettings, ParseSettings
    from parsers.markdown import tree_lines
    from parsers.pool import ParsePool
    from parsers.tree import Unfolding

    pool = ParsePool(ParseSettings(workers=1), OcrSettings(enabled=ocr))
    spool = (
        tempfile.TemporaryDirectory()
    )  # one for all files: making and removing one is no reading

    def read(path: Path) -> tuple[str, float | None]:
        node = Unfolding(pool, Path(spool.name)).parse_tree(path, path.name)
        if node.result.failure is not None:
            raise ValueError(node.result.failure.value)
        return "\n".join(tree_lines(node)), node.result.seconds if node.children else None

    return read


def _kreuzberg() -> Read:
    import kreuzberg

    # what it read before it would otherwise answer from its cache, in any later round and run
    config = kreuzberg.ExtractionConfig(use_cache=False)
    return lambda path: (str(kreuzberg.extract_file_sync(str(path), config=config).content), None)


def _markitdown() -> Read:
    from markitdown import MarkItDown

    reader = MarkItDown()
    return lambda path: (str(reader.convert(str(path)).text_content), None)


def _pymupdf4llm() -> Read:
    import pymupdf4llm

    return lambda path: (str(pymupdf4llm.to_markdown(str(path), show_progress=False)), None)


def _tika(address: str) -> Read:
    import http.client
    import urllib.parse

    host = urllib.parse.urlsplit(address).netloc

    def read(path: Path) -> tuple[str, float | None]:
        connection = http.client.HTTPConnection(host, timeout=120)
        headers = {
            "Accept": "text/html",
            "X-Tika-OCRskipOcr": "true",
            "Content-Disposition": f"attachment; filename*=UTF-8''{urllib.parse.quote(path.name)}",
        }
        connection.request("PUT", "/tika", path.read_bytes(), headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        connection.close()
        if answer.status != 200:  # noqa: PLR2004  HTTP
            raise ValueError(f"status {answer.status}")
        return text, None

    return read


def main() -> int:
    """Serve until standard input ends."""
    name, out = sys.argv[1], Path(sys.argv[2])
    makers: dict[str, Callable[[], Read]] = {
        "seoga": lambda: _seoga(ocr=True),
        "seoga-without-ocr": lambda: _seoga(ocr=False),
        "kreuzberg": _kreuzberg,
        "markitdown": _markitdown,
        "pymupdf4llm": _pymupdf4llm,
        "tika": lambda: _tika(sys.argv[3]),
    }
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # readers print, and so do the libraries below them
    read = makers[name]()
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        path = Path(json.loads(line))
        started = time.perf_counter()
        problem = ""
        try:
            text, alone = read(path)
        except BaseException as failure:  # noqa: BLE001  whatever a reader raises is its answer
            text, alone, problem = "", None, f"{type(failure).__name__}: {failure}"[:200]
        spent = time.perf_counter() - started
        (out / hashlib.sha256(str(path).encode()).hexdigest()).write_text(
            text, encoding="utf-8", errors="replace"
        )
        answers.write(json.dumps({"seconds": spent, "alone": alone, "problem": problem}) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
