"""Adapters of the index port."""
