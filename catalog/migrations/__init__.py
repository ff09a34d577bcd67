"""Alembic revisions of the catalog's tables, installed with the package."""
