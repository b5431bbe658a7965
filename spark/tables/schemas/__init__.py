"""Schemas that an inspection has (`registered`), and what they read in keys and values (`reader`)."""
