"""Template tags of the report pages."""
