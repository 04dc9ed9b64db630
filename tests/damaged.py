"""Anything that may come where a parser expects something, for Hypothesis to draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

ANY_BYTES = st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode(errors="replace"))


def damaged(*whole: bytes, pieces: Sequence[bytes] = ()) -> st.SearchStrategy[bytes]:
    """One of `whole` in which a stretch is another: any bytes, or one of `pieces`."""

    def cut(body: bytes, start: int, length: int, other: bytes) -> bytes:
        start %= len(body) + 1
        return body[:start] + other + body[start + length :]

    other = st.binary(max_size=12)
    if pieces:
        other |= st.sampled_from(pieces)
    return st.builds(cut, st.sampled_from(whole), st.integers(0, 10_000), st.integers(0, 40), other)


def refusal(work: Callable[[], object], *kinds: type[Exception]) -> str | None:
    """In which words `work` is refused; None where it is done. What is of no such kind is raised."""
    try:
        work()
    except kinds as refused:
        return str(refused)
    return None
