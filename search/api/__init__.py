"""HTTP routes of the search API."""
