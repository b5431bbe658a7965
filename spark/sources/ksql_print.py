"""Output of ksqlDB's PRINT in the CLI, all versions.

    since 5.4   "rowtime: " time ", key: " key ", value: " value [", partition: " n]      null is <null>, no time N/A
    up to 5.3   time ", " key ", " value                                                  null is null
                {"ROWTIME": ms, "ROWKEY": key, member of the value, ..}                   values in JSON

Around them `Key format: ..`, `Value format: ..`, `Format:..` and messages of the CLI. Times are UTC, or local without a
zone. Offsets are not printed. Source: ksqlDB `RecordFormatter` (5.5 to 0.29), KSQL `TopicStreamWriter` (4.1 to 5.3).
Page: docs/sources/ksql-print.md
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime

from spark.sources import InputFile, Split, whole
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import chained
from spark.sources._lines.records import TextRecord

STOPS = rb"(Key |Value )?[Ff]ormat ?:|Press CTRL-C|Topic printing ceased|Print(ing)? topic|ksql>|\^C|Query terminated|-+$"
ROWS = (
    row("{:rowtime}: {}{at:line}, key: {key}, value: {value}[, partition: {partition}]", "row"),
    row("{document:json}", "json", begins=r'\{"ROWTIME":\s*\d'),
    row("{at:old_time}{:blanks}, {}{key}{:blanks}, {value}", "old"),
)
VALUE = b", value: "
NULLS = {"row": (b"<null>",), "old": (b"null", b"<null>")}
USUAL_TIME = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}", re.ASCII)
FORMS = (
    "%Y/%m/%d %H:%M:%S.%f",
    "%Y/%m/%d %H:%M:%S.%f %Z",
    "%m/%d/%y %I:%M:%S %p %Z",
    "%m/%d/%y %I:%M:%S %p",
    "%m/%d/%Y %I:%M:%S %p %Z",
    "%m/%d/%y, %I:%M:%S %p %Z",
    "%m/%d/%Y %I:%M:%S %p",
)


def made(reading: RowReading, counted: Counter[str]) -> TextRecord | str:
    """A row's record."""
    if reading.row.form == "json":
        return of_members(reading)
    record = labelled(reading)
    key, value = reading.fields["key"] or b"", reading.fields["value"] or b""
    counted["doubtful"] += reading.row.form == "row" and VALUE in value
    nulls = NULLS[reading.row.form]
    record.key_is_null, record.value_is_null = key in nulls, value in nulls
    record.key, record.value = None if key in nulls else key, None if value in nulls else value
    record.timestamp_ms = time_ms((reading.fields["at"] or b"").decode(errors="replace").strip(), counted)
    return record


def of_members(reading: RowReading) -> TextRecord | str:
    """A row of a JSON topic, up to 5.3: time and key are among the members of the value."""
    members = dict(reading.read["document"])
    try:
        record = TextRecord(reading.start, reading.end, timestamp_ms=int(members.pop("ROWTIME")))
    except (ValueError, TypeError):
        return "no time in the row"
    key = members.pop("ROWKEY", None)
    record.key_is_null = key in (None, "null")
    record.key = None if record.key_is_null else str(key).encode("utf-8", "surrogateescape")
    value = json.dumps(members, separators=(",", ":"), ensure_ascii=False)
    record.value, record.value_is_null = value.encode("utf-8", "surrogateescape"), False
    return record


def time_ms(text: str, counted: Counter[str]) -> int | None:
    """The row's time; one without zone is read as UTC."""
    text = text.replace("\u202f", " ").removesuffix(" Z")
    if USUAL_TIME.fullmatch(text):  # strptime takes a third of the time that a row takes
        try:
            return round(datetime.fromisoformat(f"{text}+00:00".replace("/", "-")).timestamp() * 1000)
        except ValueError:
            return None
    for form in FORMS:
        try:
            at = datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        counted["zoneless"] += not form.endswith("%Z") and not form.startswith("%Y")
        return round(at.timestamp() * 1000)
    return None


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split; the topic is the one that the command names, if the paste contains it."""
    named = re.search(r"\bprint\s+[`'\"]?([\w.-]+)[`'\"]?", file.command, re.I)
    name = topic if topic not in ("", "?") or not named else named[1]
    return whole(declared.id, file, number, name, partition, replica)


declared = DeclaredPrint(
    id="ksql-print",
    title="ksqlDB PRINT",
    walker=chained(ROWS, STOPS),
    made=made,
    why="rows of ksqlDB's PRINT",
    otherwise="no lines such as `rowtime: .., key: .., value: ..`",
    score=82,
    passed_over=re.compile(rb"\s*$|" + STOPS),
    is_in_log=False,
    lacks=frozenset({"topic", "offset", "headers", "exact-bytes"}),
    sentences=(
        "The output contains no offsets. The records are numbered. Keys and values are the text that ksqlDB printed.",
    ),
)
source = declared.source(split)
