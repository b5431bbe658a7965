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
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._lines.lines import TextLine, by_lines, lines
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.terms.wording import plural

ID = "ksql-print"
ROW = re.compile(rb"^rowtime: (?P<time>.*?), key: (?P<rest>.*)$", re.S | re.I)
PARTITION = re.compile(rb"^(?P<value>.*), partition: (?P<partition>\d{1,9})$", re.S)
VALUE = b", value: "
OLD_ROW = re.compile(
    rb"^(?P<time>\d{1,2}/\d{1,2}/\d{2,4},? \d{1,2}:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{3,4})?) ?, (?P<key>.*?) ?, (?P<value>.*)$",
    re.S,
)
JSON_ROW = re.compile(rb'^\{"ROWTIME":\s*\d')
MESSAGE = re.compile(
    rb"^(\s*$|(Key |Value )?[Ff]ormat ?:|Press CTRL-C|Topic printing ceased|Print(ing)? topic|ksql>|\^C|Query terminated|-+$)"
)
NULLS = (b"<null>",)
OLD_NULLS = (b"null", b"<null>")
FORMS = (
    "%Y/%m/%d %H:%M:%S.%f %Z",
    "%Y/%m/%d %H:%M:%S.%f",
    "%m/%d/%y %I:%M:%S %p %Z",
    "%m/%d/%y %I:%M:%S %p",
    "%m/%d/%Y %I:%M:%S %p %Z",
    "%m/%d/%y, %I:%M:%S %p %Z",
    "%m/%d/%Y %I:%M:%S %p",
)


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By lines that PRINT begins like this; other lines must be its own too."""
    own = Recognition(True, "rows of ksqlDB's PRINT", 82)
    return by_lines(file, head, form_of, MESSAGE, own, "no lines such as `rowtime: .., key: .., value: ..`")


def form_of(line: bytes) -> str | None:
    match = ROW.match(line)
    if match and VALUE in match["rest"]:
        return "row"
    if JSON_ROW.match(line):
        return "json"
    return "old" if OLD_ROW.match(line) else None


@dataclass
class KsqlReader:
    """Rows to records; a value may continue in the following lines."""

    doubtful: int = 0
    without_zone: int = 0
    with_partition: int = 0

    def read(self, split: Split) -> Iterator[TextRecord | UnreadLine]:
        row_lines: list[TextLine] = []
        for line in lines(split):
            if form_of(line.text):
                yield from self.rows(row_lines)
                row_lines = [line]
            elif MESSAGE.match(line.text) and (line.text.strip() or not row_lines):
                yield from self.rows(row_lines)
                row_lines = []
            else:
                row_lines.append(line)
        yield from self.last(row_lines)

    def last(self, row_lines: list[TextLine]) -> Iterator[TextRecord | UnreadLine]:
        """The last row: truncated if its partition is missing and every row before it had one."""
        for row in self.rows(row_lines):
            is_cut = isinstance(row, TextRecord) and row.partition is None and self.with_partition > 0
            cut = UnreadLine(row.start, row.end, "the row is truncated", row_lines[0].text, is_cut=True)
            yield cut if is_cut else row

    def rows(self, row_lines: list[TextLine]) -> Iterator[TextRecord | UnreadLine]:
        """The record of the pending lines; lines before the first record are odd."""
        while row_lines and not row_lines[-1].text.strip():
            row_lines = row_lines[:-1]
        if not row_lines:
            return
        text, start, end = b"\n".join(line.text for line in row_lines), row_lines[0].start, row_lines[-1].end
        form = form_of(row_lines[0].text)
        if form is None:
            yield UnreadLine(start, end, "not a row of PRINT", text)
        elif form == "json":
            yield self.json_row(start, end, text)
        else:
            match = ROW.match(text) if form == "row" else OLD_ROW.match(text)
            assert match is not None
            yield self.row(start, end, match) if form == "row" else self.old_row(start, end, match)

    def row(self, start: int, end: int, match: re.Match[bytes]) -> TextRecord:
        """A row since 5.4."""
        key, _, value = match["rest"].partition(VALUE)
        self.doubtful += VALUE in value
        text_record = TextRecord(start, end)
        if behind := PARTITION.match(value):
            value, text_record.partition = behind["value"], int(behind["partition"])
            self.with_partition += 1
        return self.filled(text_record, match["time"], key, value, NULLS)

    def old_row(self, start: int, end: int, match: re.Match[bytes]) -> TextRecord:
        """A row up to 5.3."""
        return self.filled(
            TextRecord(start, end), match["time"], match["key"].strip(), match["value"], OLD_NULLS
        )

    def filled(
        self, text_record: TextRecord, time: bytes, key: bytes, value: bytes, nulls: tuple[bytes, ...]
    ) -> TextRecord:
        text_record.key_is_null, text_record.value_is_null = key in nulls, value in nulls
        text_record.key = None if text_record.key_is_null else key
        text_record.value = None if text_record.value_is_null else value
        text_record.timestamp_ms = self.time_ms(time.decode(errors="replace").strip())
        return text_record

    def time_ms(self, text: str) -> int | None:
        """The row's time; one without zone is read as UTC."""
        text = text.replace("\u202f", " ").removesuffix(" Z")
        for form in FORMS:
            try:
                at = datetime.strptime(text, form).replace(tzinfo=UTC)
            except ValueError:
                continue
            self.without_zone += not form.endswith("%Z") and not form.startswith("%Y")
            return round(at.timestamp() * 1000)
        return None

    def json_row(self, start: int, end: int, text: bytes) -> TextRecord | UnreadLine:
        """A row of a JSON topic, up to 5.3: time and key are among the members of the value."""
        try:
            members: dict[str, Any] = json.loads(text)
            key = members.pop("ROWKEY", None)
            text_record = TextRecord(start, end, timestamp_ms=int(members.pop("ROWTIME")))
        except (ValueError, KeyError, TypeError):
            return UnreadLine(start, end, "not valid JSON", text, is_cut=not text.rstrip().endswith(b"}"))
        text_record.key_is_null = key in (None, "null")
        text_record.key = None if text_record.key_is_null else str(key).encode()
        text_record.value, text_record.value_is_null = (
            json.dumps(members, separators=(",", ":"), ensure_ascii=False).encode(),
            False,
        )
        return text_record

    def note(self) -> str:
        sentences = [
            "The output contains no offsets. The records are numbered. Keys and values are the text that ksqlDB printed."
        ]
        if self.doubtful:
            sentences.append(
                f"{plural(self.doubtful, 'row has', 'rows have')} `, value: ` more than once: the key ends at the first one."
            )
        if self.without_zone:
            sentences.append("Times without a time zone are read as UTC.")
        return " ".join(sentences)


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split; the topic is the one that the command names, if the paste contains it."""
    named = re.search(r"\bprint\s+[`'\"]?([\w.-]+)[`'\"]?", file.command, re.I)
    return whole(
        ID, file, number, topic if topic not in ("", "?") or not named else named[1], partition, replica
    )


def read(split: Split) -> Iterator[Chunk]:
    reader = KsqlReader()
    yield from chunks(split, reader.read(split), reader.note)


source = Source(
    id=ID,
    title="ksqlDB PRINT",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "offset", "headers", "exact-bytes"},
    recognise=recognise,
    read=read,
    cut=split,
)
