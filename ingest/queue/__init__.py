"""Ringing for work: brokers, priorities, limits."""
