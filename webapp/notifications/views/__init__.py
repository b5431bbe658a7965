"""Pages of notifications: one's own, and a project's channels."""
