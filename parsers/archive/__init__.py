"""Containers of files: zip, and everything that libarchive unpacks."""

from parsers.archive.packed import PackedParser
from parsers.archive.zip import ZipParser

__all__ = ["PackedParser", "ZipParser"]
