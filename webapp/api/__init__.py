"""REST over the same services as the pages."""
