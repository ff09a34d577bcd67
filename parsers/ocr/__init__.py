"""Recognition of scanned pages, for PDF and image files."""
