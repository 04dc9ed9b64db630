"""Counters of makers: what their reports say, in which passage they hang, and what became of each report."""
