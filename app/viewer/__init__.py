"""Pages that show a citation at its place."""
