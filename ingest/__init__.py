"""Sources, pipeline and chunking: from a listed item to a published document."""
