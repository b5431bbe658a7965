"""Blocks of an example -> the files they show, as a broker or a tool would have written them.

A table's columns say what its rows are: batches (`base_offset` or `offsets`), steps of transactions (`what`), entries of
an index (`position_bytes`), or the records of a journal, which `journals` encodes. Rows become one batch each. A column
`replica`, `topic`, `partition` or `file` puts a row into another file than the block's, a column `dump` into an older dump.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.generator import legacy, segment
from tests.generator.segment import SOME_TIME_MS, Record
from tests.spark.examples.journals import encoded, is_journal, topic_of
from tests.spark.examples.page import Block

Row = Mapping[str, str]
INPUT, OLDER = "input", "older"  # folders
NO_BYTES = "(no bytes)"
PARTITION = re.compile(r"(.+)-(\d+)")
LEGACY = {"0", "1"}


def write(blocks: list[Block], folder: Path) -> None:
    """Write what the blocks show below the folders `input` and `older`."""
    contents: dict[str, bytearray] = defaultdict(bytearray)
    for block in blocks:
        for name, content in made(block):
            contents[name] += content
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def made(block: Block) -> list[tuple[str, bytes]]:
    """File names and their bytes, in the order of the rows."""
    if block.language:
        return [(f"{INPUT}/{block.name or 'paste.txt'}", block.text.encode())]
    maker = maker_of(block.rows[0])
    used: set[str] = set()
    rows = [Used(row, used) for row in block.rows]
    places = [(f"{row.get('dump') or INPUT}/{file_of(block, row)}", row) for row in rows]
    files = [(name, maker(one)) for name, row in places for one in repeated(row.with_base(Path(name).stem))]
    if unused := set(block.rows[0]) - used:
        message = f"nothing reads the columns {sorted(unused)}"
        raise ValueError(message)
    return files


class Used(dict[str, str]):
    """A row that notes which of its columns are asked for: one that nothing reads would show what is not in the input."""

    def __init__(self, row: Row, used: set[str]) -> None:
        super().__init__(row)
        self.used = used

    def __getitem__(self, name: str) -> str:
        self.used.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
        """As of a dict; an absent column is empty."""
        self.used.add(name)
        return super().get(name, default)

    def with_base(self, base: str) -> Used:
        """The same row with the name of its file, from which offsets in indexes count."""
        return self.changed("base", base)

    def changed(self, name: str, value: str) -> Used:
        """The same row with another value."""
        return Used({**self, name: value}, self.used)


def repeated(row: Used) -> list[Used]:
    """A record of a journal at several offsets (10-99) is one record at each."""
    if not (is_journal(row) or "value" in row) or "-" not in row["offset"]:
        return [row]
    first, last = span(row)
    return [row.changed("offset", str(offset)) for offset in range(first, last + 1)]


def maker_of(row: Row) -> Callable[[Row], bytes]:
    """What encodes a row with these columns."""
    if "position_bytes" in row:
        return index_entry
    if "aborted" in row:
        return aborted
    if "base_offset" in row or "offsets" in row:
        return batch
    if "what" in row and "producer_id" in row:
        return step
    if "key" in row or is_journal(row):
        return record
    message = f"no example has the columns {list(row)}"
    raise ValueError(message)


def file_of(block: Block, row: Row) -> str:
    """The file that a row stands in: of the row, else of the block, else the first segment of the partition."""
    name = row.get("file") or block.name
    if "/" in name:
        return name
    named = PARTITION.fullmatch(name)
    topic = row.get("topic") or (named[1] if named else topic_of(row))
    number = row.get("partition") or (named[2] if named else "0")
    place = f"{topic}-{number}/{segment.segment_name(0)}"
    return f"{row['replica']}/{place}" if row.get("replica") else place


def number(row: Row, *names: str, default: int = -1) -> int:
    """The first of these columns that has a number."""
    given = [row[name] for name in names if row.get(name, "").strip()]
    return int(given[0].replace(" ", "").replace(",", ""), 0) if given else default


def span(row: Row) -> tuple[int, int]:
    """First and last offset: of `offsets` (4-9), of `base_offset` and `last_offset`, or of `offset`."""
    if "offsets" in row or "-" in row.get("offset", ""):
        first, _, last = row.get("offsets", row.get("offset", "")).partition("-")
        return int(first), int(last or first)
    first_offset = number(row, "base_offset", "offset")
    return first_offset, number(row, "last_offset", default=first_offset)


def time_ms(row: Row, offset: int) -> int:
    """The column `time` or `timestamp`, as 12:00:05, 2024-06-01 12:00:00 or milliseconds; else a second per offset."""
    text = row.get("time") or row.get("timestamp") or ""
    if not text:
        return SOME_TIME_MS + 1000 * offset
    if text.isdigit():
        return int(text)
    whole = text if "-" in text else f"2024-02-08 {text}"
    return int(datetime.fromisoformat(whole).replace(tzinfo=UTC).timestamp() * 1000)


def batch(row: Row) -> bytes:
    """A batch of plain records, one for each of its offsets unless `record_count` says otherwise."""
    first, last = span(row)
    at = time_ms(row, first)
    value = (row.get("records") or "value").encode()
    records = [Record(b"key-%d" % offset, value, at) for offset in range(first, last + 1)]
    if row.get("magic") in LEGACY:
        magic = int(row["magic"])
        return b"".join(legacy.message(one, first + n, magic) for n, one in enumerate(records))  # type: ignore[arg-type]
    whole = segment.batch(
        records[: number(row, "records_read", default=len(records))],
        first,
        leader_epoch=number(row, "leader_epoch", default=0),
        producer_id=number(row, "producer_id"),
        producer_epoch=number(row, "producer_epoch", default=0 if row.get("producer_id") else -1),
        base_sequence=number(row, "base_sequence"),
        last_offset_delta=last - first,
        record_count=number(row, "record_count", default=len(records)),
        delete_horizon_ms=time_ms({"time": row["delete horizon"]}, 0) if row.get("delete horizon") else None,
        log_append_time_ms=at if row.get("timestamp_type") == "log_append" else None,
    )
    bits = {"": whole, "true": whole, "false": damaged(whole)}[row.get("crc_ok", "")]
    return on_disk(bits, row.get("on disk", ""))


def on_disk(whole: bytes, said: str) -> bytes:
    """What is left of a batch: "zeros", "its first 40 bytes", "all of it, then 4096 zeros"; else the batch."""
    if not said:
        return whole
    left = re.fullmatch(r"its first (\d+) bytes|all of it, then (\d+) zeros|(zeros)", said)
    assert left, said
    first, behind, _ = left.groups()
    return whole[: int(first)] if first else whole + bytes(int(behind)) if behind else bytes(len(whole))


def damaged(whole: bytes) -> bytes:
    """The same batch with one bit of its last value changed."""
    return whole[:-3] + bytes([whole[-3] ^ 0x10]) + whole[-2:]


def step(row: Row) -> bytes:
    """A step of a producer: data of its transaction, COMMIT, ABORT, or data of no transaction."""
    (first, last), what = span(row), row["what"]
    assert what in {"data", "COMMIT", "ABORT"}, what
    producer, epoch = number(row, "producer_id"), number(row, "producer_epoch", default=0)
    at = time_ms(row, first)
    if what in {"COMMIT", "ABORT"}:
        coordinator = number(row, "coordinator epoch", default=0)
        return segment.marker(
            "commit" if what == "COMMIT" else "abort", first, producer, epoch, coordinator, at
        )  # type: ignore[arg-type]
    key = row.get("key", "a").encode()
    records = [Record(key, b"value", at)] * (last - first + 1)
    if producer < 0:
        return segment.batch(records, first)
    return segment.batch(records, first, producer_id=producer, producer_epoch=epoch, transactional=True)


def record(row: Row) -> bytes:
    """A record of a journal, or of an application, in a batch of its own."""
    offset = number(row, "offset")
    key, value, headers = encoded(row) if is_journal(row) else of_application(row)
    return segment.batch([Record(key, value, time_ms(row, offset), headers)], offset)


def of_application(row: Row) -> tuple[bytes | None, bytes | None, list[tuple[bytes, bytes | None]]]:
    """Key and value as text, behind the ids of `key schema id` and `schema id`; headers as `name=value, name=value`."""
    key, value = (
        content(row[name]) if not row.get(id) else struct.pack(">bi", 0, number(row, id)) + row[name].encode()
        for name, id in (("key", "key schema id"), ("value", "schema id"))
    )
    pairs = [one.strip().partition("=") for one in row.get("headers", "").split(",") if one.strip()]
    return key, value, [(name.encode(), text.encode()) for name, _, text in pairs]


def content(text: str) -> bytes | None:
    """A key or value as text."""
    return None if text == "null" else b"" if text == NO_BYTES else text.encode()


def index_entry(row: Row) -> bytes:
    """An entry of an offset index; offsets in it count from the file's name."""
    return struct.pack(">ii", number(row, "offset") - int(row["base"]), number(row, "position_bytes"))


def aborted(row: Row) -> bytes:
    """An entry of a `.txnindex`: producer, aborted offsets with their marker, last stable offset."""
    first, _, last = row["aborted"].partition("-")
    return struct.pack(">hqqqq", 0, number(row, "producer_id"), int(first), int(last), int(last) + 1)
