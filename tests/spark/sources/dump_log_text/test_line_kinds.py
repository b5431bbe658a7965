"""Lines of kafka-dump-log by what they are, in the forms that its ages print."""

from __future__ import annotations

import pytest

from spark.sources.dump_log_text.recognise import kind_in_dump


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"Dumping /data/orders-0/00000000000000000000.log", "heading"),
        (b"Log starting offset: 0", "heading"),
        (b"baseOffset: 0 lastOffset: 0 count: 1 baseSequence: -1", "batch"),
        (b"| offset: 0 CreateTime: 1 keySize: 1 valueSize: 1 sequence: -1 headerKeys: [] key: k payload: v", "record"),
        (b"offset: 5 position: 0 CreateTime: 1 isvalid: true payloadsize: 3 magic: 1 payload: abc", "record"),
        (b"> | offset: 9 CreateTime: 1 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: ABORT", "abort marker"),
        (b'| offset: 9 CreateTime: 1 keySize: 1 valueSize: 40 headerKeys: [] key: k payload: {"a": "endTxnMarker: COMMIT"}', "record"),
        (b"and the rest of a value", ""),
    ],
    ids=["dumping", "starting offset", "batch", "record", "record of magic 1", "quoted marker", "value names a marker", "value goes on"],
)  # fmt: skip
def test_a_line_is_what_it_begins_like(text: bytes, kind: str) -> None:
    assert kind_in_dump(text) == kind
