r"""Lines that programs log of a record, by the formats of the clients' own examples or by labels of their own.

    offset = 0, key = null, value = v                                                     Java, Kafka's documentation of KafkaConsumer
    t:0:5: key=b'k' value=b'v'                                                            kafka-python, README
    consumed:  t 0 5 None b'v' 1529569531392                                              aiokafka, README
    % t [0] at offset 5 with key b'k':  LF b'v'                                           confluent-kafka-python, consumer.py
    Consumed event from topic t: key = k          value = v                               Confluent's quick starts in six languages
    Consumed message 'v' at: 't [[0]] @5'.                                                confluent-kafka-dotnet, README
    Delivered 'v' to 't [[0]] @5'                                                         the same, of a producer
    % Message on t[0]@5:  LF v                                                            confluent-kafka-go, README
    message at topic/partition/offset t/0/5: k = v        message at offset 5: k = v      segmentio kafka-go, README
    Message claimed: value = v, timestamp = 2023-01-01 10:00:00 +0000 UTC, topic = t      sarama, examples/consumergroup
    - t[0 | 5] / 1602000000000 k#v                                                        kafkajs, documentation
    key: 'Some([107])', payload: 'v', topic: t, partition: 0, offset: 5, timestamp: CreateTime(1602000000000)   rust-rdkafka

Labels of their own: two or more lines with the same labels in the same order, an offset and a value among them. A row ends with
its line, or with the JSON document that is open there. Source: the examples named. Page: docs/sources/client-log.md
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from spark.sources import HEAD_BYTES, Chunk, InputFile, Recognition, Split, whole
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.forms import Object, decimals, python_value
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import RowTemplate, row
from spark.sources._grammar.walk import lined
from spark.sources._lines.lines import head_lines
from spark.sources._lines.records import TextRecord
from spark.sources.go_record import go_time_ms
from spark.storage.files import read_bytes

ROWS = (
    row("{topic:first}:{partition:digits}:{offset:digits}: key={}{key:python} value={value}", "python"),
    row(
        "consumed: {topic} {partition:digits} {offset:digits} {key:python} {value:python} {time:digits}",
        "python",
    ),
    row("% {topic} \\[{partition}\\] at offset {offset} with key {}{key:python}:\n{value}", "python"),
    row("Consumed event from topic {}{topic}: key = {key} value = {value}", "padded"),
    row(r"Consumed message '{}{value}' at: '{topic} \[\[{partition}\]\] @{offset}'"),
    row(r"Delivered '{}{value}' to[:] [']{topic} \[\[{partition}\]\] @{offset}[']"),
    row("% Message on {topic}\\[{partition}\\]@{offset}:\n{value}"),
    row("message at topic/partition/offset {topic}/{partition}/{offset}: {key} = {value}"),
    row("message at offset {offset}: {key} = {value}"),
    row("Message claimed: value = {}{value}, timestamp = {time:gotime}, topic = {topic}"),
    row(r"- {topic}\[{partition} | {offset}\] / {time} {key}#{value}"),
    row(
        "key: '{key:rust}', payload: '{}{value}', topic: {topic}, partition: {partition}, offset: {offset}, "
        "timestamp: {clock:word}({time})",
        "rust",
    ),
)
NULLS = (b"null", b"None", b"<nil>", b"nil")
ROLES = {"payload": "value", "message": "value", "timestamp": "time"}
NUMBERS = ("partition", "offset", "timestamp")
OF_DUMP = re.compile(rb"\bkey[sS]ize: -?\d")  # kafka-dump-log's own labels
LABEL = re.compile(
    rb"(?i)(?<![\w.'\"{])(topic|partition|offset|timestamp|key|value|payload|message)[ \t]{0,4}(?:=|:|->)[ \t]{0,4}(?![=:])"
)
OBJECT = re.compile(rb"(?:[\w&][({]|(?:^|\s)\{)\w+ ?[:=]")  # rows of other layouts
NUMBER = re.compile(rb"-?\d{1,19}(?![\w.])")
NAME = re.compile(rb"[\w.-]{1,249}")
GAP = re.compile(rb"[\s,;|)\]]+$")
MIN_ROWS = 2


def derived(lines: list[bytes]) -> str | None:
    """The template of rows with labels, by the first line that has them."""
    counts = Counter(template for line in lines if (template := template_of(line)))
    template, rows = counts.most_common(1)[0] if counts else (None, 0)
    is_alone = rows == 1 and sum(bool(line.strip()) for line in lines) == 1
    return template if rows >= MIN_ROWS or is_alone else None


def template_of(line: bytes) -> str | None:
    """`offset = {offset}, key = {key}, value = {value}` for a line with such labels; None if an offset or a value is missing."""
    places = [*LABEL.finditer(line)]
    if not places or OBJECT.search(line, 0, places[0].end() + 1) or OF_DUMP.search(line):
        return None
    names = [occurrence[1].decode().lower() for occurrence in places]
    roles = [ROLES.get(name, name) for name in names]
    if "value" in roles:
        places, names, roles = upto_value(places, names, roles)
    if len(set(roles)) != len(roles) or not {"offset", "value"} <= {*roles} or len(roles) < 3:
        return None
    pieces = []
    for number, (occurrence, name, role) in enumerate(zip(places, names, roles, strict=True)):
        following = places[number + 1].start() if number + 1 < len(places) else None
        printed = line[occurrence.end() : following]
        field = (NUMBER if name in NUMBERS else NAME).match(printed) if role not in ("key", "value") else None
        gap = GAP.search(printed) if following else None
        if (field is None and role not in ("key", "value")) or (following and gap is None):
            return None
        behind = printed[field.end() :] if field else printed[gap.start() :] if gap else b""
        pieces.append(f"{literal(occurrence[0])}{{{role}}}{between(behind) if following else ''}")
    return "".join(pieces)


def upto_value(
    places: list[re.Match[bytes]], names: list[str], roles: list[str]
) -> tuple[list[re.Match[bytes]], list[str], list[str]]:
    """The labels up to the value's, if the others precede it: the value may contain such words itself."""
    end = roles.index("value") + 1
    return (
        (places[:end], names[:end], roles[:end])
        if end >= 3 and "offset" in roles[:end]
        else (places, names, roles)
    )


def literal(text: bytes) -> str:
    return "".join(" " if letter == " " else "\\" + letter for letter in text.decode("latin-1"))


def between(text: bytes) -> str:
    """Text between two fields: its numbers may differ from row to row."""
    return "{:long}".join(literal(piece) for piece in re.split(rb"-?\d+", text))


def made(reading: RowReading, counted: Counter[str]) -> TextRecord:
    time = reading.fields.get("time")
    if time and b"-" in time[1:]:
        reading.fields["time"] = None
    record = labelled(reading)
    if time and b"-" in time[1:]:
        record.timestamp_ms = go_time_ms(time.decode(errors="replace"))
    for name in ("key", "value"):
        text = reading.fields.get(name)
        side = (
            (None, False)
            if name not in reading.row.names
            else bytes_of(text or b"", reading.row.form, counted)
        )
        if name == "key":
            record.key, record.key_is_null = side
        else:
            record.value, record.value_is_null = side
    return record


def bytes_of(text: bytes, form: str, counted: Counter[str]) -> tuple[bytes | None, bool]:
    """Key or value, and whether it is null."""
    if form == "padded":
        text = text.strip(b" ")
    if text in NULLS:
        return None, True
    if form == "rust" and text.startswith(b"Some([") and (numbers := decimals(text[5:-1])) is not None:
        return numbers, False
    value = python_value(text) if form == "python" else text
    if isinstance(value, Object):
        counted["differing"] += value.members is not None and not text.startswith((b"{", b"["))
        return text, False
    return value, value is None


FIXED = DeclaredPrint(
    id="client-log",
    title="records in programs' logs",
    walker=lined(ROWS),
    made=made,
    marks=(
        b": key=",
        b"consumed: ",
        b"% ",
        b"Consumed ",
        b"Delivered '",
        b"message at ",
        b"Message claimed",
        b"- ",
        b"key: '",
    ),
    why="lines with a record, as the examples of Kafka's clients print them",
    otherwise="no line such as `offset = 0, key = k, value = v`",
    score=66,
    lacks=frozenset({"exact-bytes", "null-or-empty"}),
)


def declared_for(template: str | None) -> DeclaredPrint:
    if template is None:
        return FIXED
    return replace(
        FIXED,
        walker=lined((row(template),)),
        marks=(),
        why="lines with a record, each with the same labels",
        score=42,
    )


def template_in(file: InputFile, head: bytes) -> str | None:
    return None if FIXED.begins(head) else derived(head_lines(head, file))


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By a format of an example, or by labels that repeat."""
    template = template_in(file, head) if b"\0" not in head[:64] else None
    return declared_for(template).recognise(file, head)


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    head = read_bytes(file.path, HEAD_BYTES)
    template = template_in(file, head)
    rows: tuple[RowTemplate, ...] = declared_for(template).walker.rows
    names = frozenset.union(*(form.names for form in rows if form.begins.search(head)), frozenset())
    lacks = [name for name in ("offset", "partition", "topic", "headers") if name not in names]
    lacks += [] if "time" in names else ["timestamps"]
    return whole(FIXED.id, file, number, topic, partition, replica, template=template or "", lacks=lacks)


def read(split: Split) -> Iterator[Chunk]:
    yield from declared_for(str(split.detail.get("template", "")) or None).read(split)


source = replace(FIXED.source(split), recognise=recognise, read=read)
