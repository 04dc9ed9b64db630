"""Reports that are handed on as files of their own."""
