"""The embedded hybrid index: SQLite, postings and vectors in shared files."""
