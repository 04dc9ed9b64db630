"""Recordings played as if they were happening now: what was counted then, at the same weekday and hour."""
