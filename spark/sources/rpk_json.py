"""rpk topic consume -f json: objects one a line, or several lines each with `--pretty`.

    topic key value value_size headers timestamp partition offset      headers: [{"key": name, "value": value}]

`key` is left out if it is null or empty; `value` is left out for a tombstone and "" if empty. With `--meta-only`
there is `value_size` and no value: the value is then unknown, not null. Bytes that are not UTF-8 became U+FFFD.
Source: redpanda `src/go/rpk/pkg/cli/topic/consume.go`.
"""

from __future__ import annotations

from spark.sources import InputFile, Recognition
from spark.sources._json import headers, numbers
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans, to_whole_numbers
from spark.sources._json.times import whole_ms

NAMES = ("offset", "partition", "topic", "timestamp", "headers", "key", "value", "value_size")
OTHERS = ("payload", "timestampType", "__confluent_index", "tstype", "keySchemaId", "valueSchemaId")


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its members, and by the absence of what similar exports have."""
    shape = look(head).having("topic", "partition", "offset", "timestamp")
    if shape.problem:
        return Recognition(False, shape.problem)
    if foreign := [name for name in OTHERS if name in shape.names]:
        return Recognition(False, f"has a `{foreign[0]}` member, which rpk does not print")
    if not all(isinstance(time, int) for time in shape.values("timestamp")):
        return Recognition(False, "`timestamp` is not a whole number of milliseconds")
    return Recognition(True, f"objects with topic, timestamp, partition and offset; {shape.form}", 60)


def fields(members: list[Spans]) -> Fields:
    offset, partition, topic, timestamp, pairs, key, value, value_size = members
    sizes = to_whole_numbers(value_size)
    return Fields(
        offset=offset,
        partition=partition,
        topic=topic,
        timestamps_ms=whole_ms(timestamp),
        headers=headers.named(pairs),
        key=RecordField(key),
        value=RecordField(value, is_null=value.is_null & (sizes[1] != numbers.WHOLE), sizes=sizes),
    )


layout = Layout("rpk-json", NAMES, fields)
source = layout.source("rpk topic consume (JSON)", recognise, lacks={"null-or-empty"})
