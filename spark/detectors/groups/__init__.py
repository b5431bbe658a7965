"""Consumer groups: what `__consumer_offsets` shows to be wrong."""
