"""Prints: what several outputs of tools say of one topic, and those that tell no offsets."""
