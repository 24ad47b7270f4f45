"""Streamlit-only helpers of the pages."""
