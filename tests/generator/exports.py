"""A journal as further tools export it: Kafbat, kafkactl, Confluent, Kafdrop, the CSVs, values alone, Karapace's backups.

Each as the tool writes it, its losses included: a map keeps one header of a name, text replaces what is not UTF-8, a CSV
has no null. Sources: see the module of the same name under `spark.sources`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.generator.journal import Journal, Stored
    from tests.generator.segment import Record


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _iso(timestamp_ms: int) -> str:
    moment = datetime.fromtimestamp(timestamp_ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{timestamp_ms % 1000:03d}Z"


def _map(record: Record) -> dict[str, str | None]:
    return {name.decode(): _text(value) for name, value in record.headers}


def _lines(rows: Iterable[Any]) -> bytes:
    return "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows).encode()


def _kafbat_saved(journal: Journal, stored: Stored) -> dict[str, Any]:
    record = stored.record
    row: dict[str, Any] = {"Value": _text(record.value), "Offset": stored.offset, "Key": _text(record.key)}
    return row | {
        "Partition": journal.partition,
        "Headers": _map(record),
        "Timestamp": _iso(record.timestamp_ms),
    }


def kafbat_saved(journal: Journal) -> bytes:
    """ "Save as a file" of Kafbat for each message, one file after another."""
    rows = [_kafbat_saved(journal, stored) for stored in journal.stored]
    return "\n".join(json.dumps(row, indent="\t", ensure_ascii=False) for row in rows).encode()


def _kafbat_message(journal: Journal, stored: Stored) -> dict[str, Any]:
    record = stored.record
    row: dict[str, Any] = {"partition": journal.partition, "offset": stored.offset}
    row |= {"timestamp": _iso(record.timestamp_ms), "timestampType": "CREATE_TIME", "key": _text(record.key)}
    row |= {"headers": _map(record), "value": _text(record.value), "keySize": len(record.key or b"")}
    row |= {"valueSize": len(record.value or b""), "headersSize": 0, "keySerde": "String"}
    return row | {
        "valueSerde": "String",
        "keyDeserializeProperties": {},
        "valueDeserializeProperties": {},
    }


def kafbat_events(journal: Journal) -> bytes:
    """The stream of `messages/v2`, with its progress events."""
    events: list[dict[str, Any]] = [
        {"type": "PHASE", "message": None, "phase": {"name": "Polling"}, "consuming": None}
    ]
    events += [
        {"type": "MESSAGE", "message": _kafbat_message(journal, stored), "phase": None}
        for stored in journal.stored
    ]
    events.append(
        {"type": "CONSUMING", "consuming": {"bytesConsumed": 1, "elapsedMs": 2, "isCancelled": False}}
    )
    events.append({"type": "DONE", "cursor": None})
    return b"".join(b"data:" + _lines([event]) + b"\n" for event in events)


def kafbat_csv(journal: Journal) -> bytes:
    """Kafbat's CSV: nothing is quoted."""
    rows = ["Value,Offset,Key,Partition,Headers,Timestamp\n"]
    for stored in journal.stored:
        record = stored.record
        pairs = json.dumps(_map(record), separators=(",", ":"), ensure_ascii=False) if record.headers else ""
        cells = [_text(record.value) or "", stored.offset, _text(record.key) or "", journal.partition, pairs]
        rows.append(",".join(map(str, [*cells, _iso(record.timestamp_ms)])) + "\n")
    return "".join(rows).encode()


def kafkactl(journal: Journal, one_a_line: bool = False) -> bytes:
    """`kafkactl consume -o json --all`, or with `-o json-raw` one object a line."""
    rows: list[dict[str, Any]] = []
    for stored in journal.stored:
        record = stored.record
        row: dict[str, Any] = {"Partition": journal.partition, "Offset": stored.offset}
        row |= {"Headers": {n: v or "" for n, v in _map(record).items()}} if record.headers else {}
        row |= {} if record.key is None else {"Key": _text(record.key)}
        rows.append(row | {"Value": _text(record.value), "Timestamp": _iso(record.timestamp_ms)})
    if one_a_line:
        return _lines(rows)
    return "".join(json.dumps(row, indent="\t", ensure_ascii=False) + "\n" for row in rows).encode()


def confluent(journal: Journal) -> bytes:
    """What Control Center downloads."""
    rows: list[dict[str, Any]] = []
    for stored in journal.stored:
        record = stored.record
        pairs = [{"key": name.decode(), "stringValue": _text(value)} for name, value in record.headers]
        row: dict[str, Any] = {
            "topic": journal.topic,
            "partition": journal.partition,
            "offset": stored.offset,
        }
        row |= {"timestamp": record.timestamp_ms, "timestampType": "CREATE_TIME", "headers": pairs}
        row |= {"key": _text(record.key), "value": _text(record.value)}
        rows.append(row | {"__confluent_index": len(rows)})
    return json.dumps(rows, indent=2, ensure_ascii=False).encode()


def kafdrop(journal: Journal) -> bytes:
    """Kafdrop's API; a null is printed as `empty`."""
    rows = []
    for stored in journal.stored:
        record = stored.record
        row: dict[str, Any] = {"partition": journal.partition, "offset": stored.offset}
        row |= {"message": "empty" if record.value is None else _text(record.value)}
        row |= {"key": "empty" if record.key is None else _text(record.key), "headers": _map(record)}
        rows.append(row | {"timestamp": _iso(record.timestamp_ms)})
    return json.dumps(rows, separators=(",", ":"), ensure_ascii=False).encode()


def redpanda_console_csv(journal: Journal) -> bytes:
    """`messages.csv` of Redpanda Console."""
    rows = ["timestamp,partitionID,offset,key,value,keySize,valueSize,compression,isTransactional\n"]
    for stored in journal.stored:
        record = stored.record
        sides = [(_text(side) or "").replace(",", ";") for side in (record.key, record.value)]
        sizes = [len(side or b"") for side in (record.key, record.value)]
        cells = [
            record.timestamp_ms,
            journal.partition,
            stored.offset,
            *sides,
            *sizes,
            "uncompressed",
            "false",
        ]
        rows.append(",".join(map(str, cells)) + "\n")
    return "".join(rows).encode()


def akhq_values(journal: Journal) -> bytes:
    """AKHQ's export of ticked rows: an array of values, JSON where they are."""
    return json.dumps(
        [_parsed(stored.record.value) for stored in journal.stored], ensure_ascii=False
    ).encode()


def akhq_value_lines(journal: Journal) -> bytes:
    """The same as CSV: one value a line."""
    return "\n".join(_text(stored.record.value) or "" for stored in journal.stored).encode()


def _parsed(value: bytes | None) -> Any:
    try:
        return None if value is None else json.loads(value)
    except ValueError:
        return _text(value)
