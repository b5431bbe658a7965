"""Uploads between their first byte and the content store."""
