"""Tables as a page shows and saves them: cells, files and their names, the states of sites; no Streamlit."""
