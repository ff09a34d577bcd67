"""Tesseract as a library, through tesserocr: the models stay loaded between images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from parsers.ocr.engine import EngineError, Reading
from parsers.ocr.tsv import parse_tsv

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["LibraryEngine"]

_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
)


class LibraryEngine:
    """Keeps one Tesseract instance per language set and layout."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def problem(self, languages: str) -> str:
        """Why it cannot be used, or ""."""
        try:
            import tesserocr  # noqa: F401  only whether it is there
        except ImportError:
            return "the Python package tesserocr is not installed"
        folder = _folder()
        if folder is None:
            return "no tessdata folder (apt-get install tesseract-ocr tesseract-ocr-kor)"
        missing = [n for n in languages.split("+") if not (folder / f"{n}.traineddata").exists()]
        if missing:
            packages = " ".join(f"tesseract-ocr-{name}" for name in missing)
            return f"tesseract has no language {', '.join(missing)} (apt-get install {packages})"
        return ""

    def read(
        self, image: Image.Image, *, languages: str, layout: int, dpi: int, timeout: float
    ) -> Reading:
        """Recognise an image; see :class:`parsers.ocr.engine.Engine`."""
        api = self._api(languages)
        api.SetPageSegMode(layout)
        api.SetImage(image)
        api.SetSourceResolution(dpi)
        try:
            if not api.Recognize(int(timeout * 1000)):
                raise EngineError("tesseract: time limit")
            return Reading(api.GetUTF8Text(), parse_tsv(api.GetTSVText(0)))
        except RuntimeError as problem:
            raise EngineError("tesseract: failed") from problem
        finally:
            api.Clear()

    def _api(self, languages: str) -> Any:
        import tesserocr

        if languages not in self._loaded:
            try:
                api = tesserocr.PyTessBaseAPI(path=str(_folder()), lang=languages)
            except RuntimeError as problem:
                raise EngineError("tesseract: models cannot be loaded") from problem
            self._loaded[languages] = api
        return self._loaded[languages]


def _folder() -> Path | None:
    return next((path for name in _FOLDERS if (path := Path(name)).is_dir()), None)
