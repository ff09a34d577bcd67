"""Self-written mails with a known split into own text, signature, disclaimer and quotation."""
