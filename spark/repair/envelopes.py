"""Records as lines that tools produce from.

    topicdump  kcat's envelope with key and payload in base64, one object a line: what Apicurio's own import tool reads
               (kafkasql-topic-import; it produces to `topic` and `partition` and gives `ts` as the timestamp)
    ndjson     {"topic", "partition", "timestamp", "key", "value", "headers"}: key, value and headers' values in base64,
               null where the record's is null; for scripts of one's own

Source: Envelope.java of examples/tools/kafkasql-topic-import, tag 2.6.13.Final; kcat `json.c`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from spark.repair import Added, Plan
from spark.repair.journal import Journal, Stored

Line = Stored | Added


def topicdump(record: Line, topic: str, partition: int, offset: int) -> str:
    """A record as a line of a topicdump."""
    envelope: dict[str, object] = {
        "topic": topic,
        "partition": partition,
        "offset": offset,
        "tstype": "create",
        "ts": record.timestamp_ms,
        "broker": -1,
    }
    if record.headers:
        envelope["headers"] = [part for pair in record.headers for part in pair]
    envelope |= {"key": base64_of(record.key), "payload": base64_of(record.value)}
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))


def ndjson(record: Line, topic: str, partition: int) -> str:
    """A record as a line for scripts."""
    headers = [
        {"key": name, "value": None if value is None else base64_of(value.encode())}
        for name, value in record.headers
    ]
    line = {
        "topic": topic, "partition": partition, "timestamp": record.timestamp_ms,
        "key": base64_of(record.key), "value": base64_of(record.value), "headers": headers,
    }  # fmt: skip
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def base64_of(content: bytes | None) -> str | None:
    """Bytes in base64; null stays null."""
    return None if content is None else base64.b64encode(content).decode()


def mended(journal: Journal, plan: Plan) -> Iterator[Line]:
    """The journal with the plan carried out, in the order of a fresh topic."""
    for record in journal.all_records():
        yield from plan.before.get(record.offset, ())
        if record.offset not in plan.left_out:
            yield record
        yield from plan.after.get(record.offset, ())


def appended(journal: Journal, plan: Plan) -> Iterator[Line]:
    """The journal with the plan's records appended."""
    yield from journal.all_records()
    yield from plan.appended


def write(
    folder: Path, name: str, lines: Iterable[Line], topic: str, partition: int, first_offset: int = 0
) -> int:
    """Both layouts of the same records as `name`.topicdump and `name`.ndjson; the number of records.

    Offsets are those that the records get when they are produced in this order from `first_offset` on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with whole(folder / f"{name}.topicdump") as dump, whole(folder / f"{name}.ndjson") as script:
        for count, record in enumerate(lines, start=1):
            dump.write(topicdump(record, topic, partition, first_offset + count - 1) + "\n")
            script.write(ndjson(record, topic, partition) + "\n")
    return count


def whole(path: Path) -> IO[str]:
    """A text file to write, in UTF-8 and with line feeds."""
    return path.open("w", encoding="utf-8", errors="surrogateescape", newline="\n")
