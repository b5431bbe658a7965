"""Severities, findings, wording, topic commands, errors: words that every room uses. Standard library alone."""
