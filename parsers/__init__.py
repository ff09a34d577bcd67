"""Bytes to blocks: one module a format."""
