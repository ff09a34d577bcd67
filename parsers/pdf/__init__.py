"""PDF documents."""

from __future__ import annotations

from parsers.pdf.parser import PdfParser

__all__ = ["PdfParser"]
