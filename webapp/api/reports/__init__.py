"""Reports and result tables."""
