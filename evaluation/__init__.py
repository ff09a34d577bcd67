"""Golden sets, retrieval figures and benches."""
