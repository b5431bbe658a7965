"""Tiered storage: what the journal of remote segments shows to be wrong."""
