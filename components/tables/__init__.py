"""Pure tables: points and topology become pandas frames, sentences and files; no Streamlit."""
