"""Rules that people write for the journals of their project."""
