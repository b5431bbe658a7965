"""A comparison as its page shows it: the sides, what the service lost, the strips, the records."""
