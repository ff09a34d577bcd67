"""Writers of file formats; equal input gives equal bytes, whatever the day."""
