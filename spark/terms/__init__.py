"""Severities, findings, wording, topic commands, errors: words that every room uses. Needs only the standard library."""
