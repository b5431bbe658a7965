"""`[KSTREAM-SOURCE-0000000000]: k, v`: what `print()` of Kafka Streams writes of a record, among other lines.

The name is the operator's; of another than a source it is an intermediate result. Key and value are printed by their `toString`;
the key ends at the first `, `. Offsets, partitions, times and topics are not printed.
Source: Kafka Streams `Printed`, `PrintForeachAction` (1.0 to 4.1), `KStreamImpl.print` (0.10). Page: docs/sources/streams-print.md
"""

from __future__ import annotations

from collections import Counter

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import lined
from spark.sources._lines.records import TextRecord

ROW = row(r"\[{name:node_name}\]: {key}, {value}")
NULL = b"null"


def made(reading: RowReading, counted: Counter[str]) -> TextRecord:
    record = labelled(reading)
    key, value = reading.fields["key"] or b"", reading.fields["value"] or b""
    counted["intermediate"] += b"-SOURCE-" not in (reading.fields["name"] or b"")
    record.key_is_null, record.value_is_null = key == NULL, value == NULL
    record.key, record.value = None if key == NULL else key, None if value == NULL else value
    return record


declared = DeclaredPrint(
    id="streams-print",
    title="Kafka Streams print()",
    walker=lined((ROW,)),
    made=made,
    marks=(
        b"[KSTREAM",
        b"[KTABLE",
    ),
    why="records as Kafka Streams prints them: `[KSTREAM-SOURCE-0000000000]: k, v`",
    otherwise="no `[KSTREAM-SOURCE-..]: k, v` in it",
    lacks=frozenset({"topic", "partition", "offset", "timestamps", "headers", "exact-bytes"}),
    sentences=("The output contains no offsets. The records are numbered.",),
)
source = declared.source()
