"""Tesseract as a command, through pytesseract: every call is a process that can be ended."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytesseract

from parsers.ocr.engine import EngineError, Reading
from parsers.ocr.tsv import parse_tsv

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["CommandEngine"]


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    return frozenset(pytesseract.get_languages(config=""))


class CommandEngine:
    """Runs ``tesseract`` once an image, for text and places together."""

    def __init__(self) -> None:
        # Tesseract's own threads make it two to four times slower; OpenMP reads only the environment.
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # noqa: TID251  set for the child, not read

    def problem(self, languages: str) -> str:
        """Why it cannot be used, or ""."""
        if shutil.which(pytesseract.pytesseract.tesseract_cmd) is None:
            return "tesseract is not installed (apt-get install tesseract-ocr tesseract-ocr-kor)"
        try:
            missing = sorted(set(languages.split("+")) - _languages())
        except (pytesseract.TesseractError, OSError) as problem:
            return f"tesseract does not run: {' '.join(str(problem).split())[:120]}"
        if missing:
            packages = " ".join(f"tesseract-ocr-{name}" for name in missing)
            return f"tesseract has no language {', '.join(missing)} (apt-get install {packages})"
        return ""

    def read(
        self, image: Image.Image, *, languages: str, layout: int, dpi: int, timeout: float
    ) -> Reading:
        """Recognise an image; see :class:`parsers.ocr.engine.Engine`."""
        with tempfile.TemporaryDirectory(prefix="seoga-ocr-") as folder:
            source, target = Path(folder) / "page.pgm", Path(folder) / "page"
            image.convert("L").save(source)  # uncompressed: writing a PNG takes longer than reading
            try:
                pytesseract.pytesseract.run_tesseract(
                    str(source),
                    str(target),
                    extension="",
                    lang=languages,
                    config=f"--psm {layout} --dpi {dpi} txt tsv",
                    timeout=timeout,
                )
                text = target.with_suffix(".txt").read_text(encoding="utf-8", errors="replace")
                tsv = target.with_suffix(".tsv").read_text(encoding="utf-8", errors="replace")
            except RuntimeError as problem:
                # A bare RuntimeError is pytesseract's time limit, TesseractError a subclass of it.
                kind = "failed" if isinstance(problem, pytesseract.TesseractError) else "time limit"
                raise EngineError(f"tesseract: {kind}") from problem
            except OSError as problem:
                raise EngineError(f"tesseract: {type(problem).__name__}") from problem
        return Reading(text, parse_tsv(tsv))
