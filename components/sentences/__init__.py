"""What is said of numbers: sentences, headlines and names, by the viewer's locale; no Streamlit."""
