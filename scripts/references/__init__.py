"""Readers of documents that share nothing with Seoga's parsers, to find facts for judging them."""
