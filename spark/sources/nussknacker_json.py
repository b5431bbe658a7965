"""Test data that Nussknacker captures from a Kafka source: objects, one a line or in an array.

    {"sourceId": ..., "record": {"keySchemaId", "valueSchemaId",
        "consumerRecord": {"key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers", "leaderEpoch"}}}

Source: Nussknacker `SerializableConsumerRecord`, `ScenarioTestJsonRecord`. Keys and values that it decoded are JSON.
"""

from __future__ import annotations

from spark.sources import EXPORT_LACKS, InputFile, Recognition, Source
from spark.sources._json.shape import look
from spark.sources._lines.lines import MAX_BYTES
from spark.sources.other_json import read

INNER = "consumerRecord"


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the record within the record."""
    shape = look(head)
    if shape.problem:
        return Recognition(False, shape.problem)
    records = [record for record in shape.values("record") if isinstance(record, dict)]
    if not any(isinstance(record.get(INNER), dict) for record in records):
        return Recognition(False, "no `record.consumerRecord` member")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"a capture of more than {MAX_BYTES >> 20} MiB: split it")
    return Recognition(True, f"records in `record.consumerRecord`; {shape.form}", 85)


source = Source(
    id="nussknacker-json",
    title="Nussknacker test data",
    kind="export",
    lacks=EXPORT_LACKS | {"exact-bytes", "duplicate-headers"},
    recognise=recognise,
    read=read,
)
