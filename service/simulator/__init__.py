"""A shop that does not exist, and the people who visit it."""
