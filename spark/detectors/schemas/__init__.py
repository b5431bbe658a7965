"""Schema registries: what goes wrong in a `_schemas` topic, whichever of the three registries wrote it."""
