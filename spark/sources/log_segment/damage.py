"""A stretch of bytes that could not be read, as it travels from the plan to the task that reports it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Reason = Literal[
    "truncated", "torn", "zeros_at_end", "zeros", "not_a_batch", "undecodable_records", "not_decompressed"
]


@dataclass(frozen=True)
class DamagedRange:
    """A row of DAMAGE without the columns of its place."""

    position: int
    size_bytes: int
    reason: Reason
    detail: str
    first_offset: int | None
    last_offset: int | None
    batches_after: bool

    @property
    def end(self) -> int:
        """First byte after it."""
        return self.position + self.size_bytes

    def row(self) -> dict[str, object]:
        """As a row; also what a split carries."""
        return asdict(self)
