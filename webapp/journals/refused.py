"""Refusal of an upload: an HTTP status and a sentence the user can act on."""

from __future__ import annotations


class Refused(Exception):
    """Something about an upload that we do not accept."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status
