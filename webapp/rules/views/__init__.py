"""Pages of rules: one module per page."""
