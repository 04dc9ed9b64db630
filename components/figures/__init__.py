"""Pure figures: tables and topology become plotly figures; no Streamlit."""
