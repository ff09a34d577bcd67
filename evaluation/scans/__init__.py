"""Korean scans made here, with known text: what recognition is measured on (``make bench-ocr``)."""
