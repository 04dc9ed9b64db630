"""Answers made from metric points. Pure: no Streamlit, no HTTP, no clock of its own."""
