"""What a line of a print is: the heading, a batch, a record, a marker of a transaction.

    Dumping /data/orders-0/00000000000000000000.log      heading
    baseOffset: 0 lastOffset: 0 count: 1 ...             batch
    | offset: 0 CreateTime: ... endTxnMarker: COMMIT     commit marker, else record

Source: Kafka `DumpLogSegments.scala`. Of other layouts the rows say where their records begin.
"""

from __future__ import annotations

import re

HEADING, BATCH, RECORD, COMMIT, ABORT, DAMAGE = (
    "heading", "batch", "record", "commit marker", "abort marker", "cannot be read",
)  # fmt: skip
SHAPES = (
    (HEADING, re.compile(rb"\W*(?:Dumping |(?:Log )?[Ss]tarting offset: |Snapshot end offset)")),
    (BATCH, re.compile(rb"\W*(?:baseOffset: |offset: \d+ position: \d+ [^|]*\bsize: )")),
    (COMMIT, re.compile(rb"[^{]*\bendTxnMarker: COMMIT\b")),
    (ABORT, re.compile(rb"[^{]*\bendTxnMarker: ABORT\b")),
    (RECORD, re.compile(rb"\W*offset: \d+ ")),
)
MAX_BYTES = 4096  # of a line that are looked at


def kind_in_dump(text: bytes) -> str:
    """The kind of a line of kafka-dump-log; empty for one that continues the record before it."""
    head = text[:MAX_BYTES]
    return next((kind for kind, shape in SHAPES if shape.match(head)), "")
