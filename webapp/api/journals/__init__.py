"""Journals, their files, inspections and repairs."""
