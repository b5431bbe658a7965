"""What pages show of an inspection that runs or has ended: its job log, and why it failed."""
