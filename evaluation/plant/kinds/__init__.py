"""Kinds of documents: each makes items of one kind from the world, with the facts that they state."""
