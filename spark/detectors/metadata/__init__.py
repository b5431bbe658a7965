"""Cluster metadata: what the controllers' journal shows to be wrong."""
