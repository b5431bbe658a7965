"""The log: what batches, epochs and copies of one partition prove together."""
