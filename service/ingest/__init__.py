"""How counts and sites come in: over HTTP, from CSV files, from site files."""
