"""What a user asked for and cannot have: a sentence to act on and an HTTP status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest


class Rejected(Exception):
    """In words for the user: what is wrong and what to do."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


@contextmanager
def rejection_as_message(request: HttpRequest) -> Iterator[None]:
    """The next page shows why the block did not go through."""
    try:
        yield
    except Rejected as rejection:
        messages.error(request, str(rejection))
