"""Examples: some records of both sides at offsets that are not equal, as a person reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spark.compare.align import Aligned
from spark.compare.sides import CopyPair
from spark.compare.tables import copy_views
from spark.tables.store import ResultTables

SHOWN = {"different": 10, "damaged": 5, "left": 5, "right": 5}
BYTES_SHOWN = 200

RECORDS = """
    SELECT "offset", timestamp_ms, key_is_null, value_is_null, key_size_bytes, value_size_bytes, control_type, producer_id,
        producer_epoch, sequence, headers, key, value
    FROM copy_records WHERE list_contains($offsets, "offset") AND "offset" BETWEEN $start AND $end
"""


@dataclass(frozen=True)
class Example:
    """One offset that is not equal; a side that has no record there is null."""

    offset: int
    kind: str
    left: dict[str, Any] | None
    right: dict[str, Any] | None
    differs: list[str] = field(default_factory=list)


def examples(tables: ResultTables, pair: CopyPair, aligned: Aligned) -> list[Example]:
    """The first few of each kind, in order of offsets."""
    kinds = {offset: kind for kind, count in SHOWN.items() for offset in aligned.some.get(kind, [])[:count]}
    if not kinds:
        return []
    left, right = (records(tables, side, pair, sorted(kinds)) for side in ("left", "right"))
    return [
        Example(
            offset,
            kinds[offset],
            left.get(offset),
            right.get(offset),
            names(left.get(offset), right.get(offset)),
        )
        for offset in sorted(kinds)
    ]


def names(left: dict[str, Any] | None, right: dict[str, Any] | None) -> list[str]:
    """Members that both sides show differently."""
    if left is None or right is None:
        return []
    return [name for name in left if left[name] is not None is not right[name] and left[name] != right[name]]


def records(tables: ResultTables, side: str, pair: CopyPair, offsets: list[int]) -> dict[int, dict[str, Any]]:
    """Records by offset; the last one where an offset is there twice."""
    copy = tables.restricted(copy_views("copy", side, pair.parameters))
    rows = copy.rows(RECORDS, {"offsets": offsets, "start": offsets[0], "end": offsets[-1]})
    return {row["offset"]: readable(row) for row in rows}


def readable(row: dict[str, Any]) -> dict[str, Any]:
    """A record for JSON: the beginning of key and value as text, null where they are null."""
    headers = row["headers"]
    return {
        "key": None if row["key_is_null"] else text(row["key"]),
        "value": None if row["value_is_null"] else text(row["value"]),
        "key_size_bytes": row["key_size_bytes"],
        "value_size_bytes": row["value_size_bytes"],
        "timestamp_ms": row["timestamp_ms"],
        "headers": None
        if headers is None
        else [[text(header["key"]), text(header["value"])] for header in headers],
        "control_type": row["control_type"],
        "producer_id": row["producer_id"],
        "producer_epoch": row["producer_epoch"],
        "sequence": row["sequence"],
    }


def text(data: bytes | None) -> str | None:
    """Bytes as text; what is no UTF-8 as \\x escapes."""
    if data is None:
        return None
    beginning = data[:BYTES_SHOWN].decode("utf-8", "backslashreplace")
    return beginning + ("..." if len(data) > BYTES_SHOWN else "")
