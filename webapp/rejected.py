"""What a user asked for and cannot have: a sentence to act on and an HTTP status."""

from __future__ import annotations


class Rejected(Exception):
    """In words for the user: what is wrong and what to do."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status
