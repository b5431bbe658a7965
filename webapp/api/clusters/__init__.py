"""Clusters, captures, watches."""
