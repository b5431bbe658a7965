"""What keeps the site going: storage, jobs, retention, metrics."""
