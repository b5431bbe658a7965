"""Control records in words: Kafka's `ControlRecordType` (key) and `EndTransactionMarker` (value)."""

from __future__ import annotations

import struct

from spark.tables.evidence import MARKERS
from spark.terms.visible import one_line

ENDS = tuple(MARKERS)
KEY, VALUE = struct.Struct(">hh"), struct.Struct(">hi")


def control_word(control_type: str) -> str:
    """`COMMIT marker`; another control record by its name: `leader change`."""
    return MARKERS.get(control_type) or control_type.replace("_", " ")


def what_it_ends(control_type: str, producer_id: int, producer_epoch: int, transactional_id: str) -> str:
    """What a control record does."""
    if control_type not in ENDS:
        return "written by the broker"
    producer = f"producer {producer_id}, producer epoch {producer_epoch}"
    if transactional_id:
        return f"ends transaction {one_line(transactional_id)} of {producer}"
    return f"ends the transaction of {producer}"


def marker_words(side: str, control_type: str | None, data: bytes | None) -> str:
    """Key or value of a transaction marker in words; empty for bytes that Kafka does not write there."""
    layout = KEY if side == "key" else VALUE
    if control_type not in ENDS or data is None or len(data) != layout.size:
        return ""
    version, number = layout.unpack(data)
    meaning = f"type {control_type.upper()}" if side == "key" else f"coordinator epoch {number}"
    return f"version {version}, {meaning}"
