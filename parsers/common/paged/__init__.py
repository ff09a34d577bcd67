"""What formats made of pages share: lines, reading order, ruled tables, paragraphs, furniture."""
