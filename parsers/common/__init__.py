"""Helpers that several formats share; they know no format."""
