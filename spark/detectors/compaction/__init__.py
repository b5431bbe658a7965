"""Compaction: what the cleaner took, will take, or cannot take."""
