"""Frozen data types, ports, errors and settings; imports nothing of ours and does no I/O."""
