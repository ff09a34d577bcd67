"""Enrichment rules: title, type, revision, status, codes, each with its evidence."""
