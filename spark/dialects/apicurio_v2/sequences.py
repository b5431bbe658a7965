"""The sequences that ids are drawn from. A record has no id: the number of earlier draws gives it.

    GlobalId, ContentId, CommentId   CREATE: the next number; RESET: at least the highest id in use

A sequence belongs to a tenant and starts at 1. Source: AbstractSqlRegistryStorage.java, tag 2.5.8.Final.
"""

from __future__ import annotations

SEQUENCES = {"GlobalId": "globalId", "ContentId": "contentId", "CommentId": "commentId"}


class Sequences:
    """The last number drawn and its offset, by sequence and tenant."""

    def __init__(self) -> None:
        self.last: dict[tuple[str, str], int] = {}
        self.last_offset: dict[tuple[str, str], int] = {}

    def draw(self, sequence: str, tenant: str, offset: int) -> int:
        key = sequence, tenant
        number = self.last[key] = self.last.get(key, 0) + 1
        self.last_offset[key] = offset
        return number

    def draw_more(self, sequence: str, tenant: str, count: int, last_offset: int) -> None:
        """So many draws at once, the last one at this offset."""
        key = sequence, tenant
        self.last[key] = self.last.get(key, 0) + count
        self.last_offset[key] = last_offset

    def reset(self, sequence: str, tenant: str, highest: int, offset: int) -> None:
        """Raises the sequence to the highest id in the table."""
        key = sequence, tenant
        self.last[key] = max(self.last.get(key, 0), highest)
        self.last_offset[key] = offset
