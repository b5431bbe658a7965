"""Detect, verdict, coverage, text: tables -> report.json."""
