"""What a user asked for and cannot have: a sentence to act on and an HTTP status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest


class Rejected(Exception):
    """The message tells the user what is wrong and what to do."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


@contextmanager
def rejection_as_message(request: HttpRequest) -> Iterator[None]:
    """Show a Rejected of the block as a message on the next page."""
    try:
        yield
    except Rejected as rejection:
        messages.error(request, str(rejection))
