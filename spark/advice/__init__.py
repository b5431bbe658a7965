"""Advice: what follows from a log's tables for those who run it, as sentences and steps. Pure functions over rows."""
