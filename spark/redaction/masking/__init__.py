"""Masks: names and patterns whose values are hidden anywhere in a text, in any notation."""
