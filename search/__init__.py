"""Analysis, embedding, index backends, ranking and the API routes."""
