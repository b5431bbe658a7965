"""`ConsumerRecord(topic = .., ..)`: what Java clients log of a record, one on a line, among other lines.

    ConsumerRecord(topic = t, partition = 1, leaderEpoch = 0, offset = 16, CreateTime = 1594970489649,
        [deliveryCount = n,] [checksum = n,] serialized key size = -1, serialized value size = 54,
        headers = RecordHeaders(headers = [RecordHeader(key = h, value = [104, 105])], isReadOnly = false), key = null, value = data)

Key and value are printed by their `toString`: if the sizes match the text, it shows the bytes; `[B@1f32e575` is a byte array
whose contents are not printed. Source: Kafka `ConsumerRecord.toString` (0.9 to 4.1).
Page: docs/sources/consumer-record.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._lines.lines import UTF_16, UTF_16_MARKS, TextLine, head_lines, lines
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.terms.wording import plural

ID = "consumer-record"
BEGINS = b"ConsumerRecord(topic = "
RECORD = re.compile(
    rb"ConsumerRecord\(topic = (?P<topic>[\w.-]{1,249}), partition = (?P<partition>\d{1,10}), "
    rb"(?:leaderEpoch = (?:-?\d+|null), )?offset = (?P<offset>\d{1,19})"
    rb"(?:, (?P<type>CreateTime|LogAppendTime|NoTimestampType) = (?P<time>-?\d{1,19}))?"
    rb"(?:, deliveryCount = \w+)?(?:, checksum = -?\d+)?"
    rb"(?:, serialized key size = (?P<key_size>-?\d{1,10}), serialized value size = (?P<value_size>-?\d{1,10}))?"
    rb"(?:, headers = RecordHeaders\(headers = \[(?P<headers>.*?)\], isReadOnly = \w+\))?, key = (?P<rest>.*)",
    re.S,
)
HEADER = re.compile(
    rb"RecordHeader\(key = (?P<key>.*?), value = (?:\[(?P<bytes>[\d, -]*)\]|(?P<null>null))\)", re.S
)
ARRAY = re.compile(rb"\[B@[0-9a-f]{1,8}")
VALUE = b", value ="
SIZES = ("key_size", "value_size")
TYPES = {b"CreateTime": "create", b"LogAppendTime": "log_append"}
MAX_LINES = 10_000  # that one record may take
MIN_SHARE = 0.02


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By lines with such a record, whatever is between them."""
    if head.startswith(UTF_16_MARKS):
        return Recognition(False, UTF_16)
    if BEGINS not in head:
        return Recognition(False, "no `ConsumerRecord(topic = ..` in it")
    first_lines = head_lines(head, file)
    hits = sum(RECORD.search(line) is not None for line in first_lines)
    if not hits or hits < MIN_SHARE * len(first_lines):
        return Recognition(False, f"{plural(hits, 'record')} in its first {plural(len(first_lines), 'line')}")
    return Recognition(True, "records as Java clients log them: `ConsumerRecord(topic = ..)`", 70)


@dataclass
class ConsumerRecordReader:
    unprinted: int = 0
    others: int = 0  # lines without a record
    differing: int = 0

    def read(self, split: Split) -> Iterator[TextRecord | UnreadLine]:
        record_lines: list[TextLine] = []
        for line in lines(split):
            if BEGINS in line.text:
                yield from self.last(record_lines)
                record_lines = [line]
            elif record_lines and len(record_lines) < MAX_LINES:
                record_lines.append(line)
            else:
                self.others += 1
            if record_lines and (text_record := self.record_of(record_lines)):
                yield text_record
                record_lines = []
        yield from self.last(record_lines)

    def last(self, record_lines: list[TextLine]) -> Iterator[TextRecord | UnreadLine]:
        """A record without printed sizes: on its first line, or truncated."""
        if record_lines and (text_record := self.record_of(record_lines[:1], is_last=True)):
            self.others += len(record_lines) - 1
            yield text_record
        elif record_lines:
            match = RECORD.search(record_lines[0].text)
            offset = int(match["offset"]) if match else None
            self.others += len(record_lines) - 1
            yield UnreadLine(
                record_lines[0].start,
                record_lines[0].end,
                "the record is cut off",
                record_lines[0].text,
                offset,
                is_cut=True,
            )

    def record_of(self, record_lines: list[TextLine], is_last: bool = False) -> TextRecord | None:
        text = b"\n".join(line.text for line in record_lines)
        match = RECORD.search(text)
        if match is None:
            return None
        key_size, value_size = (None if match[name] is None else int(match[name]) for name in SIZES)
        sides = cut(match["rest"], key_size, value_size, is_last)
        if sides is None:
            return None
        text_record = TextRecord(
            record_lines[0].start,
            record_lines[-1].end,
            offset=int(match["offset"]),
            topic=match["topic"].decode(),
        )
        text_record.partition = min(int(match["partition"]), 2**31 - 1)
        text_record.headers = headers(match["headers"])
        if match["type"] in TYPES:
            text_record.timestamp_ms, text_record.timestamp_type = int(match["time"]), TYPES[match["type"]]
        text_record.key, text_record.key_is_null, text_record.key_size = self.side(sides[0], key_size)
        text_record.value, text_record.value_is_null, text_record.value_size = self.side(sides[1], value_size)
        return text_record

    def side(self, text: bytes, size: int | None) -> tuple[bytes | None, bool, int | None]:
        """Key or value: its bytes, whether it is null, its printed size."""
        if text == b"null" and size in (None, -1):
            return None, True, None
        if ARRAY.fullmatch(text):
            self.unprinted += 1
            return None, False, size
        self.differing += size is not None and size != len(text)
        return text, False, size if size is not None and size >= 0 else None

    def note(self) -> str:
        sentences = []
        if self.others:
            sentences.append(f"{plural(self.others, 'line')} without a record skipped.")
        if self.unprinted:
            sentences.append(
                f"{plural(self.unprinted, 'key or value', 'keys or values')} not printed (`[B@..` is the array's address)."
            )
        if self.differing:
            sentences.append(
                f"{plural(self.differing, 'key or value', 'keys or values')} printed as an object's text: not the bytes of the record."
            )
        return " ".join(sentences)


def cut(
    rest: bytes, key_size: int | None, value_size: int | None, is_last: bool
) -> tuple[bytes, bytes] | None:
    """Key and value of `k, value = v)..`; None while further lines may complete the printed size. Sizes take precedence over marks."""
    at = rest.find(VALUE)
    if key_size is not None and key_size >= 0 and rest[key_size : key_size + len(VALUE)] == VALUE:
        at = key_size
    if at < 0:
        return None
    value = rest[at + len(VALUE) :]
    lead = 1 if value[:1] == b" " else 0
    if value_size is not None and value_size >= 0:
        for start in (lead, 0):
            if value[start + value_size : start + value_size + 1] == b")":
                return rest[:at], value[start : start + value_size]
        if not is_last and len(value) <= value_size:
            return None
    end = value.rfind(b")")
    return (rest[:at], value[lead:end]) if end >= 0 else None


def headers(text: bytes | None) -> list[tuple[bytes, bytes | None]] | None:
    """Header names and values; None if none were printed."""
    if text is None:
        return None
    return [(match["key"], numbers(match["bytes"])) for match in HEADER.finditer(text)]


def numbers(text: bytes | None) -> bytes | None:
    """`104, -1` as bytes."""
    if text is None:
        return None
    return bytes(int(number) & 0xFF for number in text.split(b",") if number.strip())


def read(split: Split) -> Iterator[Chunk]:
    reader = ConsumerRecordReader()
    yield from chunks(split, reader.read(split), reader.note)


source = Source(
    id=ID,
    title="ConsumerRecord lines of Java clients",
    kind="export",
    lacks=EXPORT_LACKS | {"exact-bytes"},
    recognise=recognise,
    read=read,
)
