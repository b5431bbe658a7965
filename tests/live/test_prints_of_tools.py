"""What the tools of each age really print of plain topics, read back: the records of the broker's own segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live.prints import Print, Prints
from tests.live.readings import Reading, Row, read, read_text
from tests.live.tools import AGES
from tests.live.written import TOPICS

pytestmark = pytest.mark.live

PrintsOf = Callable[[str], Prints]
ALL_AGES = pytest.mark.parametrize("version", AGES)
COLUMNS_OF = {"timestamp": ("timestamp_ms", "timestamp_type"), "offset": ("offset",), "headers": ("headers",),
              "partition": ("partition",), "epoch": ()}  # fmt: skip
SIDES = ("key", "value", "key_is_null", "value_is_null")
# A blank line ends a print where no fence tells more.
NEED_FENCE = ("console keys lines",)
# Nothing but the command tells where these records end, or what is null in them.
NEED_COMMAND = ("console keys lines", "console literal")
OF_BATCHES = ("base_offset", "last_offset", "magic", "codec", "max_timestamp_ms", "producer_id", "base_sequence",
              "is_transactional", "is_control", "leader_epoch", "crc_stored", "record_count", "position", "size_bytes")  # fmt: skip
PROMPT = "[kafka@broker-1 ~]$ "


def with_null(row: Row, null: str) -> Row:
    """A record as it is printed: the text that stands for null cannot be told from null."""
    is_null = {side: row[side] is None or row[side] == null.encode() for side in ("key", "value")}
    sides = {side: None if is_null[side] else row[side] for side in is_null}
    return {**row, **sides, **{f"{side}_is_null": is_null[side] for side in is_null}}


def expected(one: Print, log: Reading) -> list[tuple[object, ...]]:
    """What the segment holds, as far as the console consumer printed it."""
    rows = [with_null(row, one.asked.null) for row in log.data[: one.asked.count]]
    return told(rows, one.asked.columns or ())


def told(rows: list[Row], columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    """Rows as tuples of what was printed."""
    names = ["value", "value_is_null", *(SIDES if "key" in columns else ())]
    names += [name for column in columns if column != "key" for name in COLUMNS_OF[column]]
    return [tuple(str(row[name]) for name in names) for row in rows]


def log_of(one: Print, folder: Path) -> Reading:
    """The broker's own segments."""
    return read(sorted(one.folder.glob("*.log")), folder, one.folder.parent)


def layout_of(columns: tuple[str, ...]) -> str:
    """The layout that such a print has."""
    if not columns:
        return "akhq-values"
    return "console-key-value" if set(columns) <= {"headers", "key"} else "console-consumer"


def as_pasted(one: Print) -> dict[str, str]:
    """As people paste it: prompt, command, output, what the consumer says at its end, the next prompt; in a fence."""
    shown = (
        f"{PROMPT}{one.run.line}\n{one.run.text}Processed a total of {one.asked.count} messages\n{PROMPT}\n"
    )
    return {"pasted": shown, "fenced": f"It prints this:\n\n```\n{shown}```\n\nIs it right?\n"}


@ALL_AGES
def test_the_console_consumers_print_has_the_segments_records(
    prints_of: PrintsOf, version: str, tmp_path: Path
) -> None:
    plain = [one for one in prints_of(version).of("console") if one.asked.columns is not None]
    assert len(plain) > 10
    assert [wrong for one in plain for wrong in differing(one, tmp_path)] == []


def differing(one: Print, folder: Path) -> Iterator[tuple[object, ...]]:
    """How a print differs from the segment, as it was printed and as people paste it."""
    columns, name = one.asked.columns or (), one.asked.name
    wanted = expected(one, log_of(one, folder / "log"))
    texts = {**as_pasted(one), "alone": one.run.text}
    left_out = {"alone": NEED_COMMAND, "pasted": NEED_FENCE, "fenced": ()}
    for how, text in texts.items():
        if name.startswith(left_out[how] or "-"):
            continue
        found = read_text(text, folder, f"{name} {how}")
        if found.layouts != [layout_of(columns)] or found.rows("damage"):
            yield name, how, found.layouts, found.failed, found.rows("damage")
        elif told(found.data, columns) != wanted:
            yield name, how, told(found.data, columns), wanted


@ALL_AGES
def test_what_dump_log_prints_with_contents_has_the_segments_records(
    prints_of: PrintsOf, version: str, tmp_path: Path
) -> None:
    printed = prints_of(version)
    for one in [printed.made[f"dump print {topic}"] for topic in TOPICS] + [printed.made["dump everything"]]:
        found, log = (
            read([one.run.output], tmp_path / one.asked.name, one.run.output.parent),
            log_of(one, tmp_path),
        )
        assert found.layouts == ["dump-log-text"], found.failed
        names = ["offset", "timestamp_ms", "timestamp_type", "control_type", *SIDES]
        assert rows(found, names) == rows(without_keys(log) if is_old(version) else log, names), (
            one.asked.name
        )
        assert not found.rows("damage")
        if not is_old(version):
            check_batches(found, log)


def is_old(version: str) -> bool:
    """Whether it prints no batches, and of a tombstone no key."""
    return version == "0.10.2.2"


def rows(found: Reading, names: list[str]) -> list[list[object]]:
    """Records as lists."""
    return [[row[name] for name in names] for row in found.rows("records")]


def without_keys(log: Reading) -> Reading:
    """The same without keys of tombstones: they are unknown, not null."""
    unknown = [{**row, "key": None} if row["value_is_null"] else row for row in log.rows("records")]
    return Reading(tables={**log.tables, "records": unknown})


def check_batches(found: Reading, log: Reading) -> None:
    """Batches are the segment's, and their checksums, where they could be computed, are right."""
    assert [[row[name] for name in OF_BATCHES] for row in found.rows("batches")] == [
        [row[name] for name in OF_BATCHES] for row in log.rows("batches")
    ]
    for row in found.rows("batches"):
        assert row["crc_ok"] is not False
        assert row["crc_computed"] in (None, row["crc_stored"])


@ALL_AGES
def test_without_contents_the_batches_are_the_segments(
    prints_of: PrintsOf, version: str, tmp_path: Path
) -> None:
    for one in [*prints_of(version).of("dump plain"), *prints_of(version).of("dump deep")]:
        found = read([one.run.output], tmp_path / one.asked.name, one.run.output.parent)
        assert found.layouts == ["dump-log-batches"], found.failed
        assert not found.rows("records")
        assert not found.rows("damage")
        if not is_old(version):
            check_batches(found, log_of(one, tmp_path))


@pytest.mark.parametrize("version", [version for version, age in AGES.items() if age.has_skip])
def test_records_printed_without_offsets_are_counted_within_their_batch(
    prints_of: PrintsOf, version: str, tmp_path: Path
) -> None:
    for topic in TOPICS:
        one = prints_of(version).made[f"dump skip {topic}"]
        found, log = read([one.run.output], tmp_path / topic, one.run.output.parent), log_of(one, tmp_path)
        names = ["offset", *SIDES]
        assert [[row[name] for name in names] for row in found.data] == [
            [row[name] for name in names] for row in log.data
        ], topic
        times = {row["offset"]: row["timestamp_ms"] for row in log.data}
        for row in found.data:
            assert row["timestamp_ms"] in (None, times[row["offset"]])
        assert not found.rows("damage")


def test_compressed_messages_that_were_not_opened_are_no_records(prints_of: PrintsOf, tmp_path: Path) -> None:
    one = prints_of("0.10.2.2").made["dump shallow packed"]
    found = read([one.run.output], tmp_path, one.run.output.parent)
    assert {row["codec"] for row in found.rows("batches")} == {"none", "gzip", "snappy", "lz4"}
    assert [row["offset"] for row in found.data] == list(range(5))
    assert "3 compressed messages printed without --deep-iteration" in " ".join(found.notes)


@ALL_AGES
def test_companions_are_read_as_the_files_themselves(
    prints_of: PrintsOf, version: str, tmp_path: Path
) -> None:
    for one in prints_of(version).of("dump companion"):
        ending = one.asked.name.rpartition(" ")[2]
        found = read([one.run.output], tmp_path / ending, one.run.output.parent)
        files = read(
            sorted(path for path in one.folder.iterdir() if path.is_file()), tmp_path, one.folder.parent
        )
        assert found.layouts == ["dump-log-batches"], found.failed
        assert not found.rows("damage")
        for name, printed in found.tables.items():
            lacking = [row for row in entries(printed) if row not in entries(files.rows(name))]
            assert not lacking or name == "properties", (name, lacking, entries(files.rows(name)))


def entries(rows: list[Row]) -> list[Row]:
    """Without the file that they stand in."""
    return [{name: value for name, value in row.items() if name not in ("file", "replica")} for row in rows]
