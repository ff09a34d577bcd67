"""Permission readers, directory, access check, diff and ledger."""
