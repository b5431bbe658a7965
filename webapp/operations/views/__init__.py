"""Pages of operations: one module per page."""
