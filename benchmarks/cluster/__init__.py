"""All parts of a Headroom on many machines, on this one: put up by one command, and killed in turn."""
