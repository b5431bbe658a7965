"""Words that the detectors of tiered storage share."""

from __future__ import annotations

from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.typed_wording import plural, some

SEGMENTS_NAMED = 5


def stored_partition(row: Row) -> str:
    """The partition whose segments are in remote storage: `orders-3`."""
    return marked.partition(row["of_topic"], int(row["of_partition"]))


def segment_ids(row: Row) -> str:
    """`remote segment <id>`, or how many with the first ids."""
    names = some([marked.name(name) for name in row["segments"]], SEGMENTS_NAMED)
    return f"{plural(row['count'], 'remote segment')} ({names})"
