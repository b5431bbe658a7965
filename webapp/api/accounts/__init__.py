"""Who asks, and projects."""
