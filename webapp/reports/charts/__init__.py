"""Figures: rows in, a Plotly figure (a plain dict) out. No request, no database; tested by their data."""
