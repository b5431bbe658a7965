"""kafka-console-consumer with a formatter for Kafka's own topics: text of 0.8 to 3.x, JSON of 3.9 and 4.x.

    print = (line LF)*                                  `[g,t,0]::OffsetAndMetadata(..)`, `tx::TransactionMetadata(..)`
          | ({"key":{"type":1,"data":{..}},"value":{"version":3,"data":{..}} | null})*

Converted back to the bytes of the records (`spark.sources._decoders`). The formatters print neither offsets nor partitions
nor times of records. Source: Kafka `GroupMetadataManager$OffsetsMessageFormatter`,
`$GroupMetadataMessageFormatter`, `TransactionLog$TransactionLogMessageFormatter` (0.8 to 3.x), `tools/consumer`
`ApiMessageFormatter`, `CoordinatorRecordMessageFormatter`, `ShareGroupStateMessageFormatter` (3.9 to 4.4).
Page: docs/sources/coordinator-formatters.md
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spark.sources import EXPORT_LACKS, HEAD_BYTES, Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._decoders import NotDecoded, Pair
from spark.sources._decoders import to_string as text
from spark.sources._decoders.json_forms import SHARE_TOPIC, coordinator_pair, is_key, is_share_key
from spark.sources._lines.lines import TextLine, by_lines, head_lines, lines
from spark.sources._lines.records import TextRecord, UnreadLine, chunks, record
from spark.storage.files import read_bytes
from spark.terms.wording import listed

ID = "coordinator-formatters"
TOPICS = {
    text.OFFSETS: "__consumer_offsets",
    text.GROUPS: "__consumer_offsets",
    text.TRANSACTIONS: "__transaction_state",
}
TOTAL = re.compile(
    r"Processed a total of \d+ messages\s*$"
)  # glued to 4.x's last record: it prints no line feeds
MESSAGE = re.compile(rb"^(\s*$|Processed a total of \d+ messages|\[\d{4}-\d\d-\d\d |%|\^C|\.\.\.$)")
JSON_START = re.compile(r'\{\s*"key"\s*:\s*\{\s*"(?:type|version)"')
MAX_OBJECT_LINES = 2_000
decoder = json.JSONDecoder(strict=False)


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By lines that only these formatters print."""
    own = Recognition(True, "lines of kafka-console-consumer's formatters for Kafka's own topics", 88)
    forms = 'no lines such as `[group,topic,0]::OffsetAndMetadata(..)` or `{"key":{"type":..}}`'
    return by_lines(file, head, is_line, MESSAGE, own, forms)


def is_line(line: bytes) -> bool:
    line_text = line.decode(errors="replace").rstrip()
    if line_text.lstrip().startswith("{"):
        return is_json(line_text)
    return text.kind_of(line_text) is not None or text.NULL.match(line_text) is not None


def is_json(line_text: str) -> bool:
    if not JSON_START.match(line_text.lstrip()):
        return False
    try:
        members, _ = decoder.raw_decode(line_text.lstrip())
    except ValueError:
        return False
    return set(members) == {"key", "value"} and is_key(members["key"])


@dataclass
class FormatterReader:
    """Reads an output line by line; `other`: the topic of tombstones `x::NULL`."""

    other: str
    missing: Counter[str] = field(default_factory=Counter)
    pending: list[TextLine] = field(default_factory=list)  # lines of an object that goes on

    def read(self, split: Split) -> Iterator[TextRecord | UnreadLine]:
        for line in lines(split):
            line_text = line.text.decode(errors="replace").rstrip()
            if self.pending or line_text.lstrip().startswith("{"):
                self.pending.append(line)
                yield from self.objects()
            elif not MESSAGE.match(line.text):
                yield self.line(line, line_text)
        if self.pending:
            yield UnreadLine(
                self.pending[0].start,
                self.pending[-1].end,
                "the record is cut off",
                self.pending[0].text,
                is_cut=True,
            )

    def line(self, line: TextLine, line_text: str) -> TextRecord | UnreadLine:
        try:
            pair = text.pair(line_text, self.other)
        except NotDecoded:
            return UnreadLine.from_line(line, "not a line of the formatter")
        kind = text.kind_of(line_text) or self.other
        return self.record(line.start, line.end, pair, TOPICS[kind])

    def objects(self) -> Iterator[TextRecord | UnreadLine]:
        """The records of the pending lines as soon as they are complete; one line may contain several."""
        start, end = self.pending[0].start, self.pending[-1].end
        joined = b"\n".join(line.text for line in self.pending).decode(errors="replace")
        at = 0
        text_records: list[TextRecord | UnreadLine] = []
        while joined[at:].strip():
            at += len(joined[at:]) - len(joined[at:].lstrip())
            if text_records and TOTAL.match(joined, at):
                break
            try:
                members, at = decoder.raw_decode(joined, at)
            except ValueError:
                if len(self.pending) < MAX_OBJECT_LINES:
                    return
                text_records = [UnreadLine(start, end, "not valid JSON", self.pending[0].text)]
                break
            text_records.append(self.object(start, end, members))
        self.pending = []
        yield from text_records

    def object(self, start: int, end: int, members: Any) -> TextRecord | UnreadLine:
        is_record = isinstance(members, dict) and isinstance(members.get("key"), dict) and "value" in members
        if not is_record or not is_key(members["key"]):
            return UnreadLine(start, end, "not an object of the formatter", json.dumps(members).encode())
        key, value = members["key"], members["value"]
        try:
            pair = coordinator_pair(key, value)
        except NotDecoded as error:
            return UnreadLine(
                start,
                end,
                f"the record cannot be rebuilt from the formatter's text ({error})",
                json.dumps(members).encode(),
            )
        return self.record(start, end, pair, topic_of(key["data"]))

    def record(self, start: int, end: int, pair: Pair, topic: str) -> TextRecord:
        """The record, and what the output does not show of it."""
        self.missing[pair.missing] += 1
        return record(start, end, pair.key, pair.value, topic=topic)

    def note(self) -> str:
        sentences = [
            "Keys and values are rebuilt from the formatter's text. The output contains no offsets. The records are numbered."
        ]
        if missing := [name for name in self.missing if name]:
            sentences.append(f"It does not print {listed(missing)}.")
        return " ".join(sentences)


def topic_of(key: dict[str, Any]) -> str:
    if is_share_key(key):
        return SHARE_TOPIC
    return TOPICS[text.TRANSACTIONS if "transactionalId" in key else text.OFFSETS]


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split; the other lines decide the topic of `x::NULL`."""
    first_lines = head_lines(read_bytes(file.path, HEAD_BYTES), file)
    kinds = Counter(text.kind_of(line.decode(errors="replace")) for line in first_lines)
    other = text.TRANSACTIONS if kinds[text.TRANSACTIONS] > kinds[text.GROUPS] else text.GROUPS
    return whole(ID, file, number, topic, partition, replica, other=other)


def read(split: Split) -> Iterator[Chunk]:
    reader = FormatterReader(str(split.detail["other"]))
    yield from chunks(split, reader.read(split), reader.note)


source = Source(
    id=ID,
    title="kafka-console-consumer with a formatter",
    kind="export",
    lacks=EXPORT_LACKS | {"partition", "offset", "timestamps", "headers"},
    recognise=recognise,
    read=read,
    cut=split,
)
