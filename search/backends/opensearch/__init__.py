"""The index in OpenSearch; see docs/decisions/0008-opensearch.md."""
