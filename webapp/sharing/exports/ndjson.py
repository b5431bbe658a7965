"""kcat's envelope, one record a line: what our own reader of `kcat -J` gives back byte by byte.

`key_encoding`, `payload_encoding` and `headers_encoding` say which strings are base64. Control records are left out:
the envelope has no place for them, and whoever read it would take them for data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from webapp.sharing.exports.cells import render, render_headers

TYPES = {"create": "create", "log_append": "logappend"}
HOW = """records.ndjson has one record a line, in the envelope of kcat -J:
  topic, partition, offset   the record's place
  tstype, ts                 create or logappend, and the time in milliseconds; unknown and -1 where none is known
  headers                    name, value, name, value, ... in their order; not there: none are known
  key, payload               text; null is null, "" is empty
  key_encoding, payload_encoding, headers_encoding
                             base64 where the bytes are not UTF-8, else utf-8; of headers the values only
  decoded_key, decoded_payload
                             the document, where the bytes are not JSON text themselves and a schema, the journal type
                             or a prefix explains them; readers of the envelope ignore it
Control records are not in it. Journalscope reads the file as it is: upload it, or inspect it on the command line."""


def written(portions: Iterable[pa.Table]) -> Iterator[tuple[bytes, int]]:
    """(lines, number of records) of each portion."""
    for portion in portions:
        lines = [_line(row) for row in portion.to_pylist() if row["control_type"] is None]
        yield "".join(lines).encode(), len(lines)


def _line(row: dict[str, Any]) -> str:
    time = row["timestamp_ms"]
    envelope: dict[str, Any] = {name: row[name] for name in ("topic", "partition", "offset")}
    envelope["tstype"] = "unknown" if time is None else TYPES.get(row["timestamp_type"], "create")
    envelope["ts"] = -1 if time is None else time
    headers, encoding = render_headers(row["headers"])
    if headers:
        envelope |= {"headers": headers, "headers_encoding": encoding}
    for name, member in (("key", "key"), ("value", "payload")):
        text, encoding = render(None if row[f"{name}_is_null"] else row[name] or b"")
        envelope[member] = text
        if encoding:
            envelope[f"{member}_encoding"] = encoding
        if row[f"decoded_{name}"] is not None:
            envelope[f"decoded_{member}"] = json.loads(row[f"decoded_{name}"])
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":")) + "\n"
