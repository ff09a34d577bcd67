"""Windows access lists: pure parsing and translation; no I/O."""
