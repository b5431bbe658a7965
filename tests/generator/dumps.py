"""A journal as other tools export it: kcat, AKHQ, Redpanda Console, rpk, the plain array, a broker's folder.

    kcat -J             one object a line; bytes as they are, only < 0x20, `"` and `\\` escaped (yajl)
    kcat -J -S base64   the same with key and payload in base64
    plain array         [{"offset", "key", "payload"}], one character U+0000 to U+00FF per byte
    AKHQ                one array; text; timestamp in seconds
    Redpanda Console    one array, indented by 4; key and value as objects, raw bytes in base64 if asked for
    rpk                 one object a line; no `value` for null, no `key` for null or empty

Source: kcat `json.c`, AKHQ `TopicController`, Redpanda Console `SaveMessagesDialog`, rpk `topic consume -f json`.
"""

from __future__ import annotations

import base64
import json
import struct
import uuid
from typing import TYPE_CHECKING, Any

from tests.generator.segment import Codec, Record, segment, segment_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.generator.journal import Journal, Stored

INDEX_INTERVAL_BYTES = 4096
YAJL_SHORT = {
    0x08: b"\\b",
    0x09: b"\\t",
    0x0A: b"\\n",
    0x0C: b"\\f",
    0x0D: b"\\r",
    0x22: b'\\"',
    0x5C: b"\\\\",
}
YAJL = {byte: YAJL_SHORT.get(byte, b"\\u%04X" % byte) for byte in [*range(0x20), 0x22, 0x5C]}


def yajl_string(content: bytes) -> bytes:
    """A JSON string as yajl writes it: bytes from 0x20 on go through, be they UTF-8 or not."""
    return b'"' + b"".join(YAJL.get(byte) or bytes([byte]) for byte in content) + b'"'


def _raw(content: bytes | None) -> bytes:
    return b"null" if content is None else yajl_string(content)


def _base64(content: bytes | None) -> bytes:
    return b"null" if content is None else b'"' + base64.b64encode(content) + b'"'


def _kcat(journal: Journal, encode: Callable[[bytes | None], bytes]) -> bytes:
    lines = []
    for stored in journal.stored:
        record = stored.record
        flat = b",".join(yajl_string(name) + b"," + _raw(value) for name, value in record.headers)
        headers = b'"headers":[' + flat + b"]," if record.headers else b""
        lines.append(
            b'{"topic":%s,"partition":%d,"offset":%d,"tstype":"create","ts":%d,"broker":1,%s"key":%s,"payload":%s}\n'
            % (
                yajl_string(journal.topic.encode()),
                journal.partition,
                stored.offset,
                record.timestamp_ms,
                headers,
                encode(record.key),
                encode(record.value),
            )
        )
    return b"".join(lines)


def kcat_raw(journal: Journal) -> bytes:
    """`kcat -C -J`."""
    return _kcat(journal, _raw)


def kcat_base64(journal: Journal) -> bytes:
    """`kcat -C -J -S base64`."""
    return _kcat(journal, _base64)


def plain_array(journal: Journal) -> bytes:
    """Offset, key and payload only; bytes as Latin-1 characters, escaped above ASCII."""
    rows = [
        {"offset": each.offset, "key": _latin_1(each.record.key), "payload": _latin_1(each.record.value)}
        for each in journal.stored
    ]
    return json.dumps(rows, indent=1).encode()


def _latin_1(content: bytes | None) -> str | None:
    return None if content is None else content.decode("latin-1")


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _header_rows(record: Record) -> list[dict[str, str | None]]:
    return [{"key": name.decode(), "value": _text(value)} for name, value in record.headers]


def akhq(journal: Journal) -> bytes:
    """ "Download query result" of AKHQ."""
    rows = []
    for stored in journal.stored:
        seconds, millis = divmod(stored.record.timestamp_ms, 1000)
        row: dict[str, Any] = {"partition": journal.partition, "offset": stored.offset, "timestamp": 0}
        row |= {"keySchemaId": None, "valueSchemaId": None, "headers": _header_rows(stored.record)}
        row |= {"key": _text(stored.record.key), "value": _text(stored.record.value)}
        text = json.dumps(row, separators=(",", ":"), ensure_ascii=False)
        rows.append(text.replace('"timestamp":0', f'"timestamp":{seconds}.{millis:03d}000000', 1))
    return ("[" + ",".join(rows) + "]").encode()


def _console_payload(content: bytes | None, with_raw: bool) -> dict[str, Any]:
    payload: dict[str, Any] = {"payload": _text(content)}
    if with_raw and content is not None:
        payload["rawPayload"] = base64.b64encode(content).decode()
    encoding = "null" if content is None else "utf8WithControlChars"
    payload |= {"encoding": encoding, "isPayloadNull": content is None, "schemaId": 0}
    return payload | {"size": len(content or b"")}


def redpanda_console(journal: Journal, with_raw: bool = True) -> bytes:
    """`messages.json` of Redpanda Console, with or without "include raw data"."""
    rows = []
    for stored in journal.stored:
        headers = [
            {"key": name.decode(), "value": _console_payload(value, with_raw)}
            for name, value in stored.record.headers
        ]
        row: dict[str, Any] = {"partitionID": journal.partition, "offset": stored.offset}
        row |= {
            "timestamp": stored.record.timestamp_ms,
            "compression": "uncompressed",
            "isTransactional": False,
        }
        row |= {"headers": headers, "key": _console_payload(stored.record.key, with_raw)}
        rows.append(row | {"value": _console_payload(stored.record.value, with_raw)})
    return json.dumps(rows, indent=4, ensure_ascii=False).encode()


def _rpk_row(journal: Journal, stored: Stored) -> dict[str, Any]:
    row: dict[str, Any] = {"topic": journal.topic}
    if stored.record.key:
        row["key"] = _text(stored.record.key)
    if stored.record.value is not None:
        row["value"] = _text(stored.record.value)
    if stored.record.headers:
        row["headers"] = _header_rows(stored.record)
    row |= {"timestamp": stored.record.timestamp_ms, "partition": journal.partition}
    return row | {"offset": stored.offset}


def rpk(journal: Journal, pretty: bool = False) -> bytes:
    """`rpk topic consume -f json`, or with `--pretty-print` several lines an object."""
    rows = [_rpk_row(journal, stored) for stored in journal.stored]
    if pretty:
        return "".join(json.dumps(row, indent=2, ensure_ascii=False) + "\n" for row in rows).encode()
    return "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows).encode()


def partition_folder(
    journal: Journal,
    parent: Path,
    *,
    codec: Codec = "none",
    records_per_segment: int = 1_000_000,
    records_per_batch: int = 1,
    leader_epoch: int = 0,
) -> Path:
    """The folder of a replica whose broker was stopped cleanly; gives its path."""
    folder = parent / f"{journal.topic}-{journal.partition}"
    folder.mkdir(parents=True)
    for start in range(0, len(journal.stored), records_per_segment):
        rolled = journal.stored[start : start + records_per_segment]
        batches = [
            rolled[first : first + records_per_batch] for first in range(0, len(rolled), records_per_batch)
        ]
        _segment_files(folder, batches, codec, leader_epoch)
    (folder / "leader-epoch-checkpoint").write_text(f"0\n1\n{leader_epoch} {journal.stored[0].offset}\n")
    topic_uuid = uuid.uuid5(uuid.NAMESPACE_DNS, journal.topic)
    topic_id = base64.urlsafe_b64encode(topic_uuid.bytes).decode().rstrip("=")
    (folder / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")
    return folder


def _segment_files(folder: Path, batches: list[list[Stored]], codec: Codec, leader_epoch: int) -> None:
    base_offset = batches[0][0].offset
    log, index, time_index = bytearray(), bytearray(), bytearray()
    newest_ms, newest_offset, indexed_bytes, since_entry_bytes = -1, base_offset, 0, 0
    for stored in batches:
        encoded = segment(
            [_moved(each, base_offset) for each in stored],
            base_offset,
            records_per_batch=len(stored),
            codec=codec,
            leader_epoch=leader_epoch,
        )
        last_offset = stored[-1].offset
        batch_newest_ms = max(each.record.timestamp_ms for each in stored)
        if batch_newest_ms > newest_ms:
            newest_ms, newest_offset = batch_newest_ms, last_offset
        if since_entry_bytes > INDEX_INTERVAL_BYTES:
            index += struct.pack(">ii", last_offset - base_offset, indexed_bytes)
            time_index += struct.pack(">qi", newest_ms, newest_offset - base_offset)
            since_entry_bytes = 0
        log += encoded
        indexed_bytes += len(encoded)
        since_entry_bytes += len(encoded)
    if time_index[-12:] != struct.pack(">qi", newest_ms, newest_offset - base_offset):
        time_index += struct.pack(">qi", newest_ms, newest_offset - base_offset)
    name = folder / segment_name(base_offset)
    name.write_bytes(log)
    name.with_suffix(".index").write_bytes(index)
    name.with_suffix(".timeindex").write_bytes(time_index)


def _moved(stored: Stored, base_offset: int) -> Record:
    record = stored.record
    return Record(record.key, record.value, record.timestamp_ms, record.headers, stored.offset - base_offset)
