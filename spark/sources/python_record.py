r"""`ConsumerRecord(topic='t', ..)`: what Python clients print of a record, one on a line, among other lines.

    ConsumerRecord(topic='t', partition=0, [leader_epoch=0,] offset=4, timestamp=1529569531392, timestamp_type=0, key=b'k', value=None,
        [headers=[('h', b'v')],] checksum=None, serialized_key_size=1, serialized_value_size=-1[, serialized_header_size=-1][, headers=()])
    ConsumerRecord(topic='t', partition=0, offset=4, key=None, value=b'\x01')                                      up to 0.9.5

Alone, in lists, and in the dicts that `poll` and `getmany` return. `b'..'` are the bytes; a text or an object is what a
deserializer made of them: objects are rebuilt as JSON, which are the bytes only if the printed size says so.
Source: kafka-python `kafka/consumer/fetcher.py` (0.9 to 2.2), aiokafka `aiokafka/structs.py` (0.5 to 0.12).
Page: docs/sources/python-record.md
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.forms import Object, python_value
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import Walker
from spark.sources._lines.records import TextRecord

BEGINS = r"ConsumerRecord(topic={:quote}{}{topic}{:quote}, partition={partition}, [leader_epoch={:number}, ]offset={offset}"
TIMES = "[, timestamp={time:number}, timestamp_type={type:number}]"
ROWS = (
    row(
        BEGINS
        + TIMES
        + ", key={key:python}, value={value:python}[, headers={headers:python}], checksum={:number}, "
        "serialized_key_size={key_size:number}, serialized_value_size={value_size:number}[, serialized_header_size={:number}]"
        "[, headers={late_headers:python}])"
    ),
    row(BEGINS + TIMES + ", key={key:plain}, value={value:plain})"),
)
TYPES = {b"0": "create", b"1": "log_append"}
FORMS: tuple[dict[str, Any], ...] = ({}, {"separators": (",", ":")})


def made(reading: RowReading, counted: Counter[str]) -> TextRecord:
    record = labelled(reading)
    record.timestamp_type = (
        TYPES.get(reading.fields.get("type") or b"") if record.timestamp_ms is not None else None
    )
    record.headers = headers(reading.fields.get("headers") or reading.fields.get("late_headers"))
    record.key, record.key_is_null = side(reading, "key", counted)
    record.value, record.value_is_null = side(reading, "value", counted)
    return record


def side(reading: RowReading, name: str, counted: Counter[str]) -> tuple[bytes | None, bool]:
    """Key or value, and whether it is null; of an object the JSON that has the printed size, or any."""
    value, size = python_value(reading.fields[name] or b""), reading.number(f"{name}_size")
    if isinstance(value, Object):
        texts = as_json(value)
        fitting = [text for text in texts if len(text) == size]
        counted["rebuilt" if value.members is not None else "differing"] += not fitting
        return (fitting or texts)[0], False
    counted["misfits"] += value is not None and size not in (None, -1, len(value))
    return value, value is None


def as_json(value: Object) -> list[bytes]:
    """The JSON texts that clients write for an object; its own text where it is none."""
    try:
        return (
            [
                json.dumps(value.members, ensure_ascii=is_ascii, **form).encode("utf-8", "surrogatepass")
                for form in FORMS
                for is_ascii in (True, False)
            ]
            if value.members is not None
            else [value.text]
        )
    except (TypeError, ValueError):
        return [value.text]


def headers(text: bytes | None) -> list[tuple[bytes, bytes | None]] | None:
    """`[('h', b'v')]`; None if none were printed."""
    printed = python_value(text) if text else None
    if not isinstance(printed, Object) or not isinstance(printed.members, list | tuple):
        return None
    pairs = [pair for pair in printed.members if isinstance(pair, tuple) and len(pair) == 2]
    return [
        (str(name).encode(), value if isinstance(value, bytes | None) else str(value).encode())
        for name, value in pairs
    ]


declared = DeclaredPrint(
    id="python-record",
    title="ConsumerRecord lines of Python clients",
    walker=Walker(ROWS),
    made=made,
    marks=(b"ConsumerRecord(topic",),
    why="records as Python clients print them: `ConsumerRecord(topic='..', ..)`",
    otherwise="no `ConsumerRecord(topic='..'` in it",
    lacks=frozenset({"exact-bytes"}),
)
source = declared.source()
