"""Detectors of transactions and producers."""
