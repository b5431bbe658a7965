"""Findings and saved filters."""
