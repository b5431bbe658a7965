"""Every export can be read back to the journal it was made of, as far as its layout can tell."""

from __future__ import annotations

import base64
import json
import struct

import pytest
from aiokafka.record import MemoryRecords

from tests.generator import dumps
from tests.generator.apicurio import healthy

JOURNAL = healthy(11, artifact_count=5, first_content_id=130)


def expected() -> list[tuple[int, bytes | None, bytes | None]]:
    return [(each.offset, each.record.key, each.record.value) for each in JOURNAL.stored]


def encoded(text: str | None, encoding: str = "utf-8") -> bytes | None:
    return None if text is None else text.encode(encoding)


def test_raw_kcat_lines_read_as_latin_1_give_the_bytes_again():
    rows = [json.loads(line) for line in dumps.kcat_raw(JOURNAL).decode("latin-1").split("\n")[:-1]]
    read = [(r["offset"], encoded(r["key"], "latin-1"), encoded(r["payload"], "latin-1")) for r in rows]
    assert read == expected()
    assert rows[0]["headers"][0] == "req"
    assert list(rows[0]) == [
        "topic",
        "partition",
        "offset",
        "tstype",
        "ts",
        "broker",
        "headers",
        "key",
        "payload",
    ]


def test_control_bytes_are_escaped_as_kcat_does():
    assert dumps.yajl_string(b'\x00\x08\t\n\x0b\x0c\r\x0f"\\/\xc3\xa9\x87') == (
        b'"\\u0000\\b\\t\\n\\u000B\\f\\r\\u000F\\"\\\\/\xc3\xa9\x87"'
    )


def test_base64_kcat_lines_give_the_bytes_again():
    rows = [json.loads(line) for line in dumps.kcat_base64(JOURNAL).splitlines()]
    read = [
        (
            row["offset"],
            *(None if row[name] is None else base64.b64decode(row[name]) for name in ("key", "payload")),
        )
        for row in rows
    ]
    assert read == expected()


def test_the_plain_array_has_one_character_per_byte():
    text = dumps.plain_array(JOURNAL).decode("ascii")
    rows = json.loads(text)
    assert "\\u0000" in text
    read = [(r["offset"], encoded(r["key"], "latin-1"), encoded(r["payload"], "latin-1")) for r in rows]
    assert read == expected()


def test_console_keeps_the_bytes_only_when_raw_was_asked_for():
    with_raw = json.loads(dumps.redpanda_console(JOURNAL))
    without = json.loads(dumps.redpanda_console(JOURNAL, with_raw=False))
    keys = [base64.b64decode(row["key"]["rawPayload"]) for row in with_raw]
    assert keys == [key for _, key, _ in expected()]
    assert all("rawPayload" not in row["key"] for row in without)
    assert [row["value"]["isPayloadNull"] for row in without] == [value is None for _, _, value in expected()]


def test_akhq_counts_time_in_seconds():
    rows = json.loads(dumps.akhq(JOURNAL))
    times_ms = [each.record.timestamp_ms for each in JOURNAL.stored]
    assert [round(row["timestamp"] * 1000) for row in rows] == times_ms


@pytest.mark.parametrize("pretty", [False, True], ids=["one line", "pretty"])
def test_rpk_leaves_a_null_value_out(pretty):
    text = dumps.rpk(JOURNAL, pretty).decode()
    decoder, position, rows = json.JSONDecoder(), 0, []
    while position < len(text):
        row, position = decoder.raw_decode(text, position)
        position += 1
        rows.append(row)
    assert ["value" in row for row in rows] == [value is not None for _, _, value in expected()]


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_a_partition_folder_holds_the_journal_in_segments_with_true_indexes(tmp_path, codec):
    folder = dumps.partition_folder(
        JOURNAL, tmp_path, codec=codec, records_per_segment=30, records_per_batch=4
    )
    read, entry_count = [], 0
    for log in sorted(folder.glob("*.log")):
        base_offset, content = int(log.stem), log.read_bytes()
        batches, position_of = MemoryRecords(content), {}
        position = 0
        while batches.has_next():
            records = list(batches.next_batch())
            position_of[records[-1].offset] = position
            position += 12 + struct.unpack_from(">i", content, position + 8)[0]
            read += [(record.offset, record.key, record.value) for record in records]
        entries = list(struct.iter_unpack(">ii", log.with_suffix(".index").read_bytes()))
        entry_count += len(entries)
        for relative_offset, indexed in entries:
            assert position_of[base_offset + relative_offset] == indexed
        times = list(struct.iter_unpack(">qi", log.with_suffix(".timeindex").read_bytes()))
        assert times == sorted(times)
    assert read == expected()
    assert entry_count > 0
    assert folder.name == "kafkasql-journal-0"
    assert (folder / "leader-epoch-checkpoint").read_text() == "0\n1\n0 0\n"
