"""Composition: wiring, command line, ASGI app, schedules."""
