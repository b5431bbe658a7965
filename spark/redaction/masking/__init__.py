"""Masks: names and patterns whose values are hidden, wherever they stand in a text, and however it is written."""
