"""A document to its bytes."""

from __future__ import annotations

import zlib

from evaluation.plant.model import Bundle, Deck, Document, Letter, Pages, Workbook
from evaluation.plant.writers.hangul import hwpx
from evaluation.plant.writers.mail import bundle, eml
from evaluation.plant.writers.pages import pdf
from evaluation.plant.writers.sheets import xlsx
from evaluation.plant.writers.slides import pptx
from evaluation.plant.writers.word import docx

__all__ = ["rendered"]


def rendered(document: Document) -> bytes:
    """The file; equal documents give equal bytes.

    Raises:
        ValueError: a form that its content cannot take.
    """
    content, form = document.content, document.form
    if isinstance(content, Pages):
        return _pages(content, document)
    if isinstance(content, Workbook) and form == "xlsx":
        return xlsx(content)
    if isinstance(content, Deck) and form == "pptx":
        return pptx(content)
    if isinstance(content, Letter) and form == "eml":
        return eml(content, rendered)
    if isinstance(content, Bundle) and form == "zip":
        return bundle(content, rendered)
    raise ValueError(f"{document.path}: {form} cannot hold {type(content).__name__}")


def _pages(content: Pages, document: Document) -> bytes:
    if document.form == "docx":
        return docx(content)
    if document.form == "hwpx":
        return hwpx(content)
    if document.form == "pdf":
        return pdf(content)
    if document.form.startswith("scan-"):
        from evaluation.plant.writers.scanned import scan

        return scan(content, document.form, (zlib.crc32(content.title.encode()),))
    raise ValueError(f"{document.path}: {document.form} cannot hold pages")
