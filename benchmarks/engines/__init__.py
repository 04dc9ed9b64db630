"""How the store grows on each engine."""
