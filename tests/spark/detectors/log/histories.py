"""Batches of a log whose message format changes."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tests.builders import batches_table


def of_magic(magic: int, **more: Any) -> dict[str, Any]:
    """A batch of ten records in one format."""
    epochs = {} if magic == 2 else {"leader_epoch": -1}
    times = {"max_timestamp_ms": -1} if magic == 0 else {}
    return {"magic": magic, "record_count": 10, **epochs, **times, **more}


def log(*magics: int, **more: Any) -> pa.Table:
    """Batches of ten offsets each, one after the other."""
    rows = (
        of_magic(magic, base_offset=10 * n, last_offset=10 * n + 9, **more) for n, magic in enumerate(magics)
    )
    return batches_table(*rows)
