"""Where connections may go: one guard with one list of addresses, asked by forms before and by `workers.net` for each connection."""
