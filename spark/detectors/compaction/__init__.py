"""Compaction and retention: what the cleaner took, will take, or cannot take, and what settings delete."""
