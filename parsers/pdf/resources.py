"""What a page's dictionary names (ISO 32000-1 §7.7.3.3), without reading it."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from typing import Any

import pymupdf

__all__ = ["has_annotations", "has_images"]

_MUPDF = pymupdf.mupdf
_ANNOTATIONS = _MUPDF.PDF_ENUM_NAME_Annots
_RESOURCES = _MUPDF.PDF_ENUM_NAME_Resources
_OBJECTS = _MUPDF.PDF_ENUM_NAME_XObject
_KIND = _MUPDF.PDF_ENUM_NAME_Subtype
_IMAGE = _MUPDF.PDF_ENUM_NAME_Image


def has_annotations(page: pymupdf.Page) -> bool:
    """The page names comments, form fields, links or attached files (``Annots``, ISO 32000-1 §12.5.2)."""
    return bool(_MUPDF.pdf_dict_get(_dictionary(page), _ANNOTATIONS).m_internal)


def has_images(page: pymupdf.Page) -> bool:
    """The page's resources, or those of its form XObjects, name an image (ISO 32000-1 §7.8.3)."""
    met: set[int] = set()
    waiting = [_MUPDF.pdf_dict_get_inheritable(_dictionary(page), _RESOURCES)]
    while waiting:
        objects = _MUPDF.pdf_dict_get(waiting.pop(), _OBJECTS)
        for place in range(_MUPDF.pdf_dict_len(objects)):
            held = _MUPDF.pdf_dict_get_val(objects, place)
            if _MUPDF.pdf_name_eq(_MUPDF.pdf_dict_get(held, _KIND), _IMAGE):
                return True
            number = _MUPDF.pdf_to_num(held)
            inner = _MUPDF.pdf_dict_get(held, _RESOURCES)
            if inner.m_internal and number not in met:
                met.add(number)
                waiting.append(inner)
    return False


def _dictionary(page: pymupdf.Page) -> Any:
    return _MUPDF.pdf_page_from_fz_page(page.this).obj()
