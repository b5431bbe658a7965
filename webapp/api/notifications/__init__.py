"""What people and projects are told of."""
