"""Errors a user can act on: what was wrong, where, and what to do."""


class UnreadableInput(Exception):
    """Nothing of the input can be inspected, or a limit forbids it. The text is shown to the user as it is."""
