"""Previews of pasted texts: the process that makes them, and their words."""
