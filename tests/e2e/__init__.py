"""A package, so that pytest knows when its last test has run: until then, one browser serves all."""
