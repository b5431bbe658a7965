"""Pages of journals: one module per page."""
