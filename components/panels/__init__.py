"""What pages draw with Streamlit: panels take values and return choices."""
