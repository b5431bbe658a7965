"""Keys and values of pieces that people pasted, byte by byte.

What is expected was read from the text by eye and by Kafka's sources, never taken from what the program gives.
Where a key or value is long, `cut` says where in the piece it lies: in which line, after and before which text.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources._wrapping.written import read_split
from spark.stages.plan import plan_inputs
from spark.stages.prints.joined import joined

CORPUS = Path(__file__).parents[3] / ".." / "shared" / "corpus"
ORDERS = (
    "1:CREATED:00 2:CREATED:01 1:PAID:02 3:CREATED:03 2:PAID:04 1:SHIPPED:05 "
    "4:CREATED:06 3:PAID:07 2:SHIPPED:08 1:DELIVERED:09 4:PAID:10 3:SHIPPED:11"
)


@dataclass(frozen=True)
class Cut:
    """A stretch of a line of the piece."""

    line: int
    after: str
    before: str

    def bytes_in(self, piece: bytes) -> bytes:
        line = piece.split(b"\n")[self.line - 1].rstrip(b"\r")
        start = line.index(self.after.encode()) + len(self.after.encode())
        return line[start : line.rindex(self.before.encode()) if self.before else len(line)]


Expected = tuple[
    int | None, str | bytes | None, str | bytes | Cut | None
]  # offset (None: not printed), key, value


def cut(line: int, after: str = "", before: str = "") -> Cut:
    return Cut(line, after, before)


def orders(text: str) -> list[Expected]:
    rows = (row.split(":") for row in text.split())
    return [
        (number, f"O-100{order}", f'{{"order_id":"O-100{order}","status":"{status}","at":"2024-03-11T10:{minute}:00Z"}}')
        for number, (order, status, minute) in enumerate(rows)
    ]  # fmt: skip


def text_of(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def committed(group: str, topic: str, offset: int, commit: int, expire: int | None) -> Expected:
    """A committed offset of partition 0: format 1 has an expiry, format 3 a leader epoch (-1: none)."""
    key = struct.pack(">h", 1) + text_of(group) + text_of(topic) + struct.pack(">i", 0)
    if expire is None:
        return None, key, struct.pack(">hqi", 3, offset, -1) + text_of("") + struct.pack(">q", commit)
    return None, key, struct.pack(">hq", 1, offset) + text_of("") + struct.pack(">qq", commit, expire)


PIECES: dict[str, list[Expected]] = {
    "pasted/05-mercedes-md-backticks.txt": [(0, None, "mercedes")],
    "pasted/19-ksql-print-tombstone.txt": [
        (None, "KOL", '{"TEMP": "39"}'), (None, "MUM", '{"TEMP": "41"}'), (None, "PUN", '{"TEMP": "28"}'), (None, "KOL", None),
    ],
    "pasted/27-console-compact-after.txt": [
        (8, "O-1002", cut(1, "O-1002\t")), (10, "O-1004", cut(2, "O-1004\t")), (11, "O-1003", cut(3, "O-1003\t")),
        (12, "O-9999", cut(4, "O-9999\t")), (14, "O-8888", cut(5, "O-8888\t")), (16, "O-7777", cut(6, "O-7777\t")),
    ],
    "pasted/35-console-mm2-mixed-tabs-spaces.txt": [
        (0, None, "2.0"), (1, None, "2.1"), (2, None, "2.2"), (3, None, "2.3"), (4, None, "2.4"), (5, None, "2.5"),
        (17, None, "3.0"), (18, None, "3.1"), (19, None, "3.2"), (20, None, "3.3"), (21, None, "3.4"), (22, None, "3.5"),
        (13, None, "3.6"), (14, None, "3.7"),
    ],
    "pasted/43-console-upsert-kafka.txt": [
        (number, f'{{"id":{key}}}', f'{{"id":{key},"counts":{counts}}}')
        for number, (key, counts) in enumerate([(1, 1), (1, 2), (1, 3), (2, 3), (2, 5), (2, 3), (3, 3)])
    ],
    "pasted/45-consumerrecord-toString.txt": [(16, None, "data")],
    "pasted/47-console-offset-headers.txt": [
        (4, "grace", '{"order":2011,"item":"pen","amount":3}'), (5, "grace", '{"order":2012,"item":"notebook","amount":12}'),
    ],
    "pasted/49-kcat-J-risingwave-dots.txt": [(0, '{"v1":1}', '{"v1":1,"v2":7}'), (1, '{"v1":2}', '{"v1":2,"v2":5}')],
    "pasted/51-kcat-J-user_activity-venv.txt": [
        (0, "1", '{"id": 1, "name": "Alice", "age": 30, "created_at": "2024-10-03T14:48:05.333137", "event": "login"}'),
        (1, "2", '{"id": 2, "name": "Bob", "age": 25, "created_at": "2024-10-03T14:48:05.333143", "event": "logout"}'),
        (2, "3", '{"id": 3, "name": "Charlie", "age": 35, "created_at": "2024-10-03T14:48:05.333143", "event": "purchase", "amount": 250.5}'),
    ],
    "pasted/59-schemas-noop-twice-prompt.txt": [(0, '{"keytype":"NOOP","magic":0}', None), (1, '{"keytype":"NOOP","magic":0}', None)],
    "pasted/71-console-spaces-headers.txt": [(0, "qwerty", "poiuy")],
    "pasted/73-protobuf-console-spaces.txt": [(n, None, cut(n + 1, f"Offset:{n}        ")) for n in range(5)],
    "pasted/77-connect-status-values.txt": [(None, None, cut(2)), (None, None, cut(3)), (None, None, cut(4))],
    "pasted/95-schemas-console-ctheu-0.10.txt": [
        (None, '{"magic":0,"keytype":"NOOP"}', None),
        (None, '{"subject":"subject_test","version":1,"magic":0,"keytype":"SCHEMA"}', cut(4, "SCHEMA\"}     ")),
        (None, '{"subject":"subject_test2","version":1,"magic":0,"keytype":"SCHEMA"}', cut(5, "SCHEMA\"}    ")),
    ],
    "pasted/99-rest-proxy-json.txt": [(0, None, '{"v":"3"}'), (0, None, '{"v":"2"}'), (0, None, '{"v":"8"}')],
    "pasted/101-rest-proxy-json-strings.json": [(0, "message", "Hello"), (1, "message", "World")],
    "pasted/113-gzip-batch-midsegment.txt": [(45, None, cut(3, "payload: "))],
    "pasted/120-klog-SegmentDumpReaderTest-4.txt": [(0, None, "drfverv"), (1, None, "rberb"), (2, None, "trnnrtn"), (3, None, "65u5k6uk,yj")],
    "pasted/d7-console-jira-noformat.txt": orders(ORDERS),
    "pasted/d11-console-expanded2.txt": orders(ORDERS),
    "pasted-2/01-md-batch-wrapped.txt": [(0, None, "world")],
    "pasted-2/05-java-comment-dump.txt": [(3, None, cut(5, "payload: "))],
    "pasted-2/06-confluent5-three-prompts-indented.txt": [(0, "two", "Second Record"), (0, "three", "Third One")],
    "pasted-2/07-kafka-python-tombstone-doc.txt": [(4, "my_value", None)],
    "pasted-2/09-kafka-python-topicpartition-dict.txt": [(22, None, "Finally a real live test?")],
    "pasted-2/11-kafka-python-in-makefile-log.txt": [(1, None, b"\x01")],
    "pasted-2/13-kafka-python-time-prefix-two-queries.txt": [(1, None, "hihi"), (0, None, "hello")],
    "pasted-2/27-ksql-print-twice-shrug.txt": [(None, None, "Alice, US"), (None, None, "Bob, GB"), (None, None, "Carole, AU"), (None, None, "Dan, US")],
    "pasted-2/28-ksql-print-es-cut.txt": [(None, None, cut(line, "value: ", ", partition: 0")) for line in (8, 9, 10)],
    "pasted-2/46-it-kcat-json-commented.txt": [(0, None, "uno"), (None, None, "con header")],
    "pasted-2/47-ja-kcat-json-single.txt": [(0, None, '{"greeting":"hello","name":"Bob"}')],
    "pasted-2/50-rpk-katacoda-exec-fences.txt": [(0, None, "Hello from Redpanda!!")],
    "pasted-2/57-mm2-offsets-two-clusters-prompt-glued.txt": [
        committed("console-consumer-74659", "topic_flinksql", 7, 1625206552676, 1625292952676),
        committed("console-consumer-74659", "topic_flinksql", 7, 1625206557674, 1625292957674),
        committed("console-consumer-98660", "cdh.topic_flinksql", 0, 1625206774316, None),
        committed("console-consumer-74659", "cdh.topic_flinksql", 7, 1625206774320, None),
    ],
    "pasted-2/64-spark-console-table-kafka-source.txt": [(32, None, "foo"), (33, None, "baz"), (31, None, "bar")],
    "pasted-2/65-ru-printf-offset-key-value-indented.txt": [(n, None, cut(n + 5, "value = ")) for n in range(10)],
    "pasted-2/69-vi-dump-elided-records-and-kafkajs.txt": [
        (0, "o-1", "committed-1"), (1, "o-2", "committed-2"), (3, "o-3", "aborted-1"), (4, "o-4", "aborted-2"),
    ],
    "pasted-2/70-poison-pill-commented-console-row.txt": [(8, None, "heyyy")],
    "pasted-2/77-ko-three-consumers-interleaved.txt": [
        (39, "813f3b9c-0e1e-4b36-946c-b248f5e468b0", "perfect message. 813f3b9c-0e1e-4b36-946c-b248f5e468b0"),
        (0, "df53e2bf-2afc-4ff0-a28c-19a561be37be", "perfect message. df53e2bf-2afc-4ff0-a28c-19a561be37be"),
        (0, "df53e2bf-2afc-4ff0-a28c-19a561be37be", "perfect message. df53e2bf-2afc-4ff0-a28c-19a561be37be"),
    ],
    "pasted-2/79-javadoc-glued-payloadConsumerRecord.txt": [(0, None, "gloria")],
    "pasted-2/81-zh-spring-record-and-stdout-json.txt": [(0, None, cut(2, "value = ", ")"))],
}  # fmt: skip


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
@pytest.mark.parametrize("name", PIECES)
def test_keys_and_values_are_the_printed_bytes(name: str, tmp_path: Path) -> None:
    path = CORPUS / name
    piece = path.read_bytes()
    plan = plan_inputs([InputFile(path.name, str(path), len(piece))], {}, None, tmp_path)
    plan = joined(plan, lambda work_of, due: [work_of(group) for group in due])
    given = [
        (record["offset"], record["key"], record["value"])
        for split in plan.splits
        for chunk in read_split(split)
        if chunk.records is not None
        for record in chunk.records.to_pylist()
        if record["control_type"] is None
    ]
    expected = [(offset, as_bytes(key, piece), as_bytes(value, piece)) for offset, key, value in PIECES[name]]
    if any(offset is None for offset, _, _ in expected):
        given = [(None if place is None else row[0], *row[1:]) for row, (place, _, _) in zip(given, expected, strict=True)]  # fmt: skip
    assert sorted(given, key=repr) == sorted(expected, key=repr)


def as_bytes(told: str | bytes | Cut | None, piece: bytes) -> bytes | None:
    if isinstance(told, Cut):
        return told.bytes_in(piece)
    return told.encode() if isinstance(told, str) else told
