"""Pages of clusters and captures."""
