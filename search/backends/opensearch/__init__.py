"""The index in OpenSearch; see docs/decisions/0006-opensearch.md."""
