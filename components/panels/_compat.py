"""An inner part of Streamlit that panels use, with the version it was seen in."""

from __future__ import annotations

from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx


def is_told_by_browser(key: str) -> bool:
    """Whether the browser tells what stands in the field of this key before this session has drawn it: it was
    left open while the dashboard was started anew. False where Streamlit (1.67) keeps it elsewhere.
    """
    context = get_script_run_ctx()
    state = getattr(getattr(context, "session_state", None), "_state", None)
    told = getattr(state, "_new_widget_state", ())
    return any(str(name).endswith(f"-{key}") for name in told)
