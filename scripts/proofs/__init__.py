"""What ``scripts/permissions.py`` shows, a module for each part."""
