"""Two prints of one topic: a record that both have is counted once, and nothing is computed from numbers that are no offsets."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.stages.prints.value_times import runs_back
from spark.tables import Manifest
from spark.tables.store import ResultTables
from spark.terms.marked import plain
from tests.spark.whole_pipeline import report_of

START_MS = 1_707_350_400_000
CONSOLE = "$ kafka-console-consumer.sh --bootstrap-server b:9092 --topic {topic} --property print.timestamp=true --property print.key=true --from-beginning"
KCAT = "$ kcat -C -b b:9092 -t {topic} -f '%T %k %s\\n' -e"
UNTIMED = "$ kafka-console-consumer.sh --bootstrap-server b:9092 --topic {topic} --property print.key=true --from-beginning"


def subject(number: int) -> tuple[str, str]:
    """Key and value of a schema registry's record."""
    key = {
        "keytype": "SCHEMA",
        "subject": f"orders-{number % 4}-value",
        "version": 1 + number // 4,
        "magic": 1,
    }
    value = {
        "subject": key["subject"], "version": key["version"], "id": 1 + number,
        "schema": f'{{"type":"record","name":"R{number}","fields":[]}}', "deleted": False,
    }  # fmt: skip
    return json.dumps(key, separators=(",", ":")), json.dumps(value, separators=(",", ":"))


def console(numbers: range) -> str:
    return "".join(
        f"CreateTime:{START_MS + number}\t{key}\t{value}\n"
        for number in numbers
        for key, value in [subject(number)]
    )


def kcat(numbers: range) -> str:
    return "".join(
        f"{START_MS + number} {key} {value}\n" for number in numbers for key, value in [subject(number)]
    )


def untimed(numbers: range) -> str:
    return "".join(f"{key}\t{value}\n" for number in numbers for key, value in [subject(number)])


def logged(level: str, offset: int, value: str = "", time_ms: int | None = None) -> str:
    """A line of a service's log."""
    text = value or f"order {offset}"
    return (
        f"2024-02-08 00:00:0{offset % 10} {level} [consumer-1] c.e.Orders : ConsumerRecord(topic = orders, partition = 0, "
        f"leaderEpoch = 0, offset = {offset}, CreateTime = {time_ms or START_MS + offset}, serialized key size = 1, "
        f"serialized value size = {len(text)}, headers = RecordHeaders(headers = [], isReadOnly = false), key = k, value = {text})\n"
    )


def with_offsets(numbers: Iterable[int]) -> str:
    return "".join(f"CreateTime:{START_MS + n}\tPartition:0\tOffset:{n}\tk{n}\torder {n}\n" for n in numbers)


def json_lines(numbers: range, broker: int) -> str:
    records = [
        {"topic": "orders", "partition": 0, "offset": n, "tstype": "create", "ts": START_MS + n, "broker": broker,
         "key": f"k{n}", "payload": f"order {n}"}
        for n in numbers
    ]  # fmt: skip
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def inspected(folder: Path, **texts: str) -> dict[str, Any]:
    (folder / "in").mkdir()
    for name, text in texts.items():
        (folder / "in" / f"{name}.txt").write_text(text, encoding="utf-8")
    return report_of(folder / "in", folder / "out")


def records(folder: Path) -> list[tuple[Any, ...]]:
    """Partition, number and replica of every record."""
    tables = ResultTables.open(Manifest.load(folder / "out"))
    rows = tables.rows('SELECT partition, "offset", replica FROM records ORDER BY ALL')
    return [tuple(row.values()) for row in rows]


def said(report: dict[str, Any]) -> dict[str, str]:
    return {finding["detector"]: finding["severity"] for finding in report["findings"]}


@pytest.mark.parametrize(("command", "printed"), [(CONSOLE, console), (KCAT, kcat)], ids=["console", "kcat"])
@pytest.mark.parametrize(
    "is_one_text", [True, pytest.param(False, marks=pytest.mark.long)], ids=["one text", "two files"]
)
def test_what_two_prints_without_offsets_share_is_counted_once(
    tmp_path: Path, command: str, printed: Any, is_one_text: bool
) -> None:
    line = command.format(topic="_schemas") + "\n"
    first, second = line + printed(range(9)), line + printed(range(4, 14))
    texts = {"both": f"{first}\n{second}"} if is_one_text else {"first": first, "second": second}
    report = inspected(tmp_path, **texts)
    assert [number for _, number, _ in records(tmp_path)] == list(range(14))
    assert said(report).get("repeated-print") == "info"
    assert "compaction-loss" not in said(report)


def test_the_print_of_the_earlier_records_is_numbered_first(tmp_path: Path) -> None:
    line = CONSOLE.format(topic="_schemas") + "\n"
    inspected(tmp_path, a=line + console(range(6, 9)), b=line + console(range(5)))
    tables = ResultTables.open(Manifest.load(tmp_path / "out"))
    rows = tables.rows('SELECT timestamp_ms FROM records ORDER BY "offset"')
    assert [row["timestamp_ms"] - START_MS for row in rows] == [0, 1, 2, 3, 4, 6, 7, 8]


def test_prints_without_timestamps_share_nothing(tmp_path: Path) -> None:
    line = UNTIMED.format(topic="_schemas") + "\n"
    report = inspected(tmp_path, first=line + untimed(range(9)), second=line + untimed(range(9)))
    assert len(records(tmp_path)) == 18
    assert {replica for _, _, replica in records(tmp_path)} == {"first.txt", "second.txt"}
    assert not {"repeated-print", "compaction-loss", "copies-differ", "offset-order"} & set(said(report))


COMMITS = "$ kafka-console-consumer.sh --topic __consumer_offsets --formatter kafka.coordinator.group.GroupMetadataManager\\$OffsetsMessageFormatter\n"


def commits(numbers: range) -> str:
    """Offsets that groups commit, one behind another."""
    return "".join(
        f"[billing-{n % 3},orders,{n % 2}]::OffsetAndMetadata(offset={10 + n}, leaderEpoch=Optional[0], metadata=, "
        f"commitTimestamp={START_MS + n}, expireTimestamp=None)\n"
        for n in numbers
    )


@pytest.mark.parametrize("is_one_text", [True, False], ids=["one text", "two files"])
def test_two_prints_of_a_groups_topic_say_nothing_of_compaction(tmp_path: Path, is_one_text: bool) -> None:
    first, second = COMMITS + commits(range(18)), COMMITS + commits(range(9))
    report = inspected(
        tmp_path, **({"both": f"{first}\n{second}"} if is_one_text else {"a": first, "b": second})
    )
    assert set(said(report).values()) <= {"info", "low"}
    assert "compaction-loss" not in said(report)


def test_what_one_print_has_twice_was_written_twice(tmp_path: Path) -> None:
    line = CONSOLE.format(topic="_schemas") + "\n"
    report = inspected(tmp_path, only=line + console(range(3)) + console(range(3)))
    assert len(records(tmp_path)) == 6
    assert "repeated-print" not in said(report)


def test_a_record_that_a_service_logs_twice_is_one(tmp_path: Path) -> None:
    text = "".join(logged("INFO ", n) for n in range(5)) + logged("ERROR", 3) + logged("ERROR", 4)
    report = inspected(tmp_path, app=text)
    assert [offset for _, offset, _ in records(tmp_path)] == list(range(5))
    assert said(report)["repeated-print"] == "info"
    assert "2 records are printed twice" in next(
        finding["title"] for finding in report["findings"] if finding["detector"] == "repeated-print"
    )


def test_a_log_in_which_each_record_stands_once_has_no_repeat(tmp_path: Path) -> None:
    report = inspected(tmp_path, app="".join(logged("INFO ", n) for n in range(5)))
    assert "repeated-print" not in said(report)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (with_offsets(range(6)), with_offsets(range(4, 12))),
        (json_lines(range(6), 1), json_lines(range(4, 12), 2)),
    ],
    ids=["console", "kcat -J from two brokers"],
)
def test_prints_with_offsets_that_overlap_are_one_log(tmp_path: Path, first: str, second: str) -> None:
    line = "$ kafka-console-consumer.sh --topic orders\n" if first.startswith("Create") else ""
    report = inspected(tmp_path, first=line + first, second=line + second)
    assert [offset for _, offset, _ in records(tmp_path)] == list(range(12))
    assert {name for name in said(report) if said(report)[name] != "info"} == set()
    assert "repeated-print" in said(report)


def dump_log(numbers: range, value: str = "order") -> str:
    """What kafka-dump-log prints of a segment; its checksums are what it says they are."""
    text = "Dumping /data/orders-0/00000000000000000000.log\nLog starting offset: 0\n"
    for n in numbers:
        payload = f"{value} {n}"
        crc = 1_000 + n + len(value)
        text += (
            f"baseOffset: {n} lastOffset: {n} count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
            f"partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: {100 * n} "
            f"CreateTime: {START_MS + n} size: {70 + len(payload)} magic: 2 compresscodec: none crc: {crc} isvalid: true\n"
            f"| offset: {n} CreateTime: {START_MS + n} keySize: 1 valueSize: {len(payload)} sequence: -1 headerKeys: [] key: k payload: {payload}\n"
        )
    return text


CONSUMED = "$ kafka-console-consumer.sh --topic orders --property print.offset=true --property print.partition=true\n"


def again(text: str) -> str:
    """The same offsets of a topic that was made again: later records."""
    return text.replace(str(START_MS)[:-4], str(START_MS + 600_000)[:-4])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (CONSUMED + with_offsets(range(8)), CONSUMED + again(with_offsets(range(5)))),
        (CONSUMED + with_offsets(range(8)), CONSUMED + with_offsets(range(5, 12)).replace("order", "refund")),
        (json_lines(range(8), 1), again(json_lines(range(5), 1))),
        ("".join(logged("INFO ", n) for n in range(8)), "".join(logged("INFO ", n, f"refund {n}") for n in range(3, 9))),
        (dump_log(range(8)), dump_log(range(5, 12), "refunded")),
    ],
    ids=["console", "console, truncated", "kcat -J", "ConsumerRecord", "kafka-dump-log"],
)  # fmt: skip
@pytest.mark.parametrize(
    "is_one_text", [True, pytest.param(False, marks=pytest.mark.long)], ids=["one text", "two files"]
)
def test_two_different_records_at_one_offset_are_said(
    tmp_path: Path, first: str, second: str, is_one_text: bool
) -> None:
    report = inspected(
        tmp_path, **({"both": first + "\n" + second} if is_one_text else {"a": first, "b": second})
    )
    assert "critical" in {said(report).get(name) for name in ("offset-order", "replica-divergence")}


def test_offsets_that_only_one_of_two_prints_has_are_not_said_to_be_there_twice(tmp_path: Path) -> None:
    second = again(with_offsets([*range(3), 6, 7]))
    report = inspected(tmp_path, both=CONSUMED + with_offsets(range(8)) + "\n" + CONSUMED + second)
    (title,) = [finding["title"] for finding in report["findings"] if finding["detector"] == "offset-order"]
    assert plain(title).endswith("contains offsets 0-2 and offsets 6-7 twice, with different records")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (CONSUMED + with_offsets(range(8)), CONSUMED + with_offsets(range(5, 12))),
        (CONSUMED + with_offsets(range(8)), CONSUMED + with_offsets(range(8))[:-3] + "\n"),
        (json_lines(range(8), 1), json_lines(range(5, 9), 1)),
        ("".join(logged("INFO ", n) for n in range(8)), "".join(logged("ERROR", n) for n in range(3, 9))),
        (dump_log(range(8)), dump_log(range(5, 12))),
    ],
    ids=["console", "console, the last record cut", "kcat -J", "ConsumerRecord", "kafka-dump-log"],
)  # fmt: skip
@pytest.mark.parametrize(
    "is_one_text", [True, pytest.param(False, marks=pytest.mark.long)], ids=["one text", "two files"]
)
def test_equal_records_at_one_offset_are_one(
    tmp_path: Path, first: str, second: str, is_one_text: bool
) -> None:
    report = inspected(
        tmp_path, **({"both": first + "\n" + second} if is_one_text else {"a": first, "b": second})
    )
    assert not {"offset-order", "replica-divergence"} & set(said(report))


def deleted(*groups: int) -> str:
    return "".join(f"[billing-{n % 3},orders,{n % 2}]::NULL\n" for n in groups)


@pytest.mark.parametrize(
    "is_one_text", [True, pytest.param(False, marks=pytest.mark.long)], ids=["one text", "two files"]
)
def test_a_second_output_without_record_times_is_known_by_the_times_in_its_values(
    tmp_path: Path, is_one_text: bool
) -> None:
    first = COMMITS + commits(range(7)) + deleted(1)
    second = COMMITS + commits(range(7)) + deleted(1, 0) + commits(range(7, 9))
    report = inspected(
        tmp_path, **({"both": f"{first}\n{second}"} if is_one_text else {"a": first, "b": second})
    )
    assert [(number, replica) for _, number, replica in records(tmp_path)] == [(n, "") for n in range(11)]
    [repeated] = [finding for finding in report["findings"] if finding["detector"] == "repeated-print"]
    assert "The times in the values show" in plain(repeated["explanation"])


def test_outputs_with_no_row_in_common_stay_apart_and_are_called_outputs(tmp_path: Path) -> None:
    texts = [
        COMMITS + commits(range(9)),
        COMMITS + commits(range(3, 12)),
        COMMITS + commits(range(40, 44)) + deleted(40),
    ]
    report = inspected(tmp_path, all="\n".join(texts))
    assert {replica for _, _, replica in records(tmp_path)} == {
        "all.txt (lines 2-10)",
        "all.txt (lines 24-28)",
    }
    assert len(records(tmp_path)) == 12 + 5
    [journal] = report["journals"]
    assert "as 1 of 2 outputs shows" in plain(journal["compaction"]["sentence"])


def rows(*pairs: tuple[bytes, int | None]) -> pa.Table:
    names = ("topic", "key", "timestamp_ms")
    return pa.Table.from_pylist([dict(zip(names, ("t", *pair), strict=True)) for pair in pairs])


def test_times_of_a_key_must_not_run_back_from_one_output_to_the_next() -> None:
    early, late = rows((b"a", 1), (b"b", 9)), rows((b"a", 5), (b"b", 9))
    assert not runs_back([early, late], {})
    assert runs_back([late, early], {})
    assert not runs_back([late, early], {1: [0]})
    assert runs_back([early, rows((b"a", None))], {})
