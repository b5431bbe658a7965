"""Trust: how far the report reaches, and what should not be in a journal."""
