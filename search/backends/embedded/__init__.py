"""The embedded hybrid index: SQLite FTS5 and a shared vector file."""
