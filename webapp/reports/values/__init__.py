"""Keys, values and attributes as people read them: bytes, decoded values, texts within them, what changed."""
