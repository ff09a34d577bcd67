"""What ``scripts/bench.py`` measures, an item a module, and what it makes of the figures."""
