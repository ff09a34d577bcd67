"""Real servers on loopback, and what can be done to them: for tests, benches and fault runs.

Every server is a process in a temporary folder of its own on a port that the system gave, so that several runs on
one machine do not meet. Nothing here is installed with the package.
"""
