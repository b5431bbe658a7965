"""What a filter finds: the same records as a plain evaluation in Python finds, and the cases that it leaves out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import entries_table, other_table, records_table
from tests.webapp.reports.filters.evaluation import RandomFilters, holds
from tests.webapp.reports.ledger import ledger
from tests.webapp.reports.result_folder import incident, write_results
from webapp.rejected import Rejected
from webapp.reports.filters.former import RecordFilter, read_filter
from webapp.reports.filters.parser import parse_filter
from webapp.reports.filters.tree import written
from webapp.reports.queries import records as records_module
from webapp.reports.queries.isolation import IsolationView, seen_by
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.records import RecordPosition, find_offsets
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
NOON_MS = 1_794_664_800_000  # 2026-11-14T14:00:00Z
DOCUMENTS: list[Any] = [
    {"amount": 400, "name": "acc-1", "id": 9007199254740993, "flag": True},
    {"amount": 12.5, "name": "a b", "id": 7, "items": [{"unit price": 0}, 5]},
    {"amount": "EUR", "name": None, "x/y": "acc-17", "a~b": "ä,b"},
    {"id": 9007199254740992, "name": "null", "flag": False, "amount": "2026-11-14"},
    [1, 2],
]
KEYS = [
    "acc-1",
    "acc-17",
    "a b",
    "5%",
    "a_b",
    'say "hi"',
    "back\\slash",
    "ä,b",
    '{"id":7,"name":"EUR"}',
    None,
]


def samples() -> list[dict[str, Any]]:
    """Records of many kinds, each with what the evaluation asks for."""
    found = []
    for n in range(120):
        document = DOCUMENTS[n % 5] if n % 3 else None
        text = json.dumps(document, ensure_ascii=False) if document else ("EUR 44", "plain", "")[n % 7 % 3]
        prefix = (b"", b"\x06", b"\0\0\0\1\x90")[n % 11 % 3] if document else b""
        value = None if n % 13 == 12 else prefix + text.encode()
        key = KEYS[n * 7 % 10]
        found.append(
            {
                "offset": n,
                "time": NOON_MS + n * 37_777,
                "key": key,
                "bytes": value,
                "value_form": None if value is None or prefix != b"\0\0\0\1\x90" else "framed",
                "headers": [
                    *[("trace", "acc-1"), ("trace", "44"), ("a:b", None)][: n % 4],
                    ("spring.type", "EUR"),
                ],
                "entity": f"acc-{n % 4}/x" if n % 2 else "acc-1",
                "type": "Content" if n % 2 else "Artifact",
                "attributes": {"amount": 7, "name": "acc-17"} if n % 6 == 0 else {},
                "key_document": json.loads(key) if key and key[0] == "{" else None,
                "value_document": document if value is not None else None,
                "is_tombstone": value is None,
            }
        )
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [
        {
            "offset": row["offset"], "timestamp_ms": row["time"], "key": row["key"] and row["key"].encode(), "value": row["bytes"],
            "headers": [{"key": name.encode(), "value": value and value.encode()} for name, value in row["headers"]],
            "entry_type": row["type"], "value_form": row["value_form"],
        }
        for row in samples()
    ]  # fmt: skip
    entries = [
        {
            "offset": row["offset"],
            "entry_type": row["type"],
            "entity_id": row["entity"],
            "attributes": row["attributes"],
        }
        for row in samples()
    ]
    records = records_table(*rows)
    return write_results(
        tmp_path_factory.mktemp("filtered"), records=records, entries=entries_table(*entries)
    )


@pytest.fixture(scope="module")
def known(folder: Path) -> list[dict[str, Any]]:
    """The samples with kind and size as the tables have them."""
    with open_results(folder) as results:
        kind = "CASE kind WHEN 'revive' THEN 'create' ELSE kind END AS kind"
        rows = results.rows(
            f'SELECT "offset", {kind}, key_size_bytes + value_size_bytes AS size FROM lifelines'
        )
    by_offset = {row["offset"]: row for row in rows}
    texts = [None if row["bytes"] is None else text_of(row["bytes"]) for row in samples()]
    return [
        row | by_offset[row["offset"]] | {"value": text} for row, text in zip(samples(), texts, strict=True)
    ]


def text_of(data: bytes) -> str:
    """As DuckDB prints bytes that are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "".join(
            chr(byte) if 32 <= byte < 127 and byte not in b"\"'\\" else f"\\x{byte:02X}" for byte in data
        )


def found_in(
    folder: Path, wanted: RecordFilter, replica: PartitionReplica = JOURNAL, **view: Any
) -> list[int]:
    with open_results(folder) as results:
        facts = survey(results).facts[replica]
        partition = seen_by(IsolationView(**view), results.of(replica))
        return find_offsets(partition, wanted, facts, RecordPosition(), 10_000).offsets


def found(folder: Path, text: str, zone: str = "", **where: Any) -> list[int]:
    return found_in(folder, RecordFilter(parse_filter(text), zone), **where)


@pytest.mark.heavy
@pytest.mark.parametrize("zone", ["", "America/St_Johns"])
@pytest.mark.parametrize("seed", range(8))
def test_sql_and_a_plain_evaluation_find_the_same_records(
    folder: Path, known: list[dict[str, Any]], seed: int, zone: str
) -> None:
    filters = RandomFilters(seed)
    clock = ZoneInfo(zone) if zone else None
    sizes = set()
    for _ in range(25):
        tree = filters.tree()
        expected = [row["offset"] for row in known if holds(tree, row, clock)]
        assert found_in(folder, RecordFilter(tree, zone)) == expected, written(tree)
        sizes.add(len(expected))
    assert len(sizes) > 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("offset:3..5", [3, 4, 5]),
        ("offset:3,5,118..", [3, 5, 118, 119]),
        ("-offset:2..", [0, 1]),
        ("time:14:02 offset:..20", [4]),
        ("time:2026-11-14T14:02", [4]),
        ("value.id = 9007199254740993 offset:..10", [5, 10]),
        ("value.id > 9007199254740000 offset:..10", [5, 8, 10]),
        ('value.items.0."unit price":0 offset:..10', [1]),
        ("value.amount > 12 value.amount < 13 offset:..10", [1]),
        ("value.amount >= 2026-01-01 value.amount <= 2026-12-31 offset:..10", [8]),
        ("value.flag:true offset:..10", [5, 10]),
        ("header.trace:44 offset:..8", [2, 3, 6, 7]),
        ('header."a:b":null offset:..2', [0, 1, 2]),
        ("value:null offset:..30", [12, 25]),
        ("kind:tombstone offset:..30", [12, 25]),
        ('entity:"content acc-1" offset:..8', [1, 5]),
        ("action:delete", []),
    ],
)
def test_single_filters(folder: Path, text: str, expected: list[int]) -> None:
    assert found(folder, text) == expected


def test_clock_times_are_those_of_the_zone(folder: Path) -> None:
    assert found(folder, "time:15:02", "Europe/Berlin") == found(folder, "time:14:02") == [4]
    assert found(folder, "time:2026-11-14T15:02", "Europe/Berlin") == [4]
    assert found(folder, "time:2026-11-14T14:02Z", "Europe/Berlin") == [4]
    assert found(folder, "time:14:02", "Nowhere/City") == [4]


def test_outcomes_of_transactions(tmp_path: Path) -> None:
    folder = ledger(tmp_path)
    ledger_0 = PartitionReplica("ledger", 0)
    of = {
        word: found(folder, f"outcome:{word}", replica=ledger_0)
        for word in ("committed", "aborted", "open", "none")
    }
    assert of == {"committed": [0, 1], "aborted": [3], "open": [6], "none": [5, 8]}
    assert found(folder, "kind:aborted", replica=ledger_0) == [3]
    assert found(folder, "producer:1 -kind:control", replica=ledger_0) == [0, 1, 3]
    assert found(folder, "key:b", replica=ledger_0, committed=True) == [1]


@pytest.mark.parametrize(
    ("former", "text"),
    [
        ({"first": "3", "last": "7"}, "offset:3..7"),
        ({"since": "2024-02-06 10:30"}, "time:2024-02-06T10:30:00.000Z.."),
        ({"since": "1000"}, "time:1970-01-01T00:00:01.000Z.."),
        ({"type": "Control marker"}, 'type:"Control marker"'),
        ({"kind": "dropped"}, "kind:dropped"),
        ({"key": "acc-"}, "key:*acc-*"),
        ({"value": 'say "hi"'}, 'value:*"say \\"hi\\""*'),
        ({"kind": "update", "key": "a*"}, 'kind:update key:*"a*"*'),
        ({"first": "x", "since": "then"}, ""),
        ({"first": "3", "filter": "kind:update or kind:delete"}, "offset:3.. (kind:update or kind:delete)"),
    ],
)
def test_former_parameters_mean_the_same(former: dict[str, str], text: str) -> None:
    assert read_filter(former).text == text


def test_entities_are_found_by_what_records_set(tmp_path: Path) -> None:
    folder = incident(tmp_path)
    assert found(folder, "type:Content value.text:one*") == [3, 7]
    assert found(folder, "value.tags.1:c") == [7]
    assert found(folder, "binary") == [8]


def test_pages_of_a_filter_that_reads_values(folder: Path) -> None:
    wanted = RecordFilter(parse_filter("value.name:*"))
    with open_results(folder) as results:
        facts, partition = survey(results).facts[JOURNAL], results.of(JOURNAL)
        every = find_offsets(partition, wanted, facts, RecordPosition(), 1000)
        first = find_offsets(partition, wanted, facts, RecordPosition(), 10)
        second = find_offsets(partition, wanted, facts, RecordPosition(after=first.offsets[-1]), 10)
        before = find_offsets(partition, wanted, facts, RecordPosition(before=second.offsets[0]), 10)
    assert every.total == first.total == len(every.offsets)
    assert first.offsets + second.offsets == every.offsets[:20]
    assert before.offsets == first.offsets[::-1]


def test_a_large_partition_is_searched_a_range_at_a_time(folder: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(records_module, "VALUES_SEARCHED", 50)
    wanted = RecordFilter(parse_filter("value.name:*"))
    with open_results(folder) as results:
        facts, partition = survey(results).facts[JOURNAL], results.of(JOURNAL)
        first = find_offsets(partition, wanted, facts, RecordPosition(), 1000)
        last = find_offsets(partition, wanted, facts, RecordPosition(after=99), 1000)
    assert (first.searched, first.total, last.searched) == ((0, 49), None, (100, 119))
    assert first.offsets[-1] < 50


def test_a_filter_that_takes_too_long_says_so(folder: Path, monkeypatch: Any) -> None:
    def late(*_: Any, **__: Any) -> Callable[..., Any]:
        raise TimeoutError

    monkeypatch.setattr(records_module, "_every_offset", late)
    with pytest.raises(
        Rejected, match=r"takes longer than 10 seconds. Narrow it, for example with offset:0..119"
    ):
        found(folder, "value.name:x")


def test_a_state_names_entities_that_no_entry_has(tmp_path: Path) -> None:
    state = other_table(
        "state",
        {"entity_type": "artifact-version", "entity_id": "pay/invoice/1", "origin_offset": 2, "valid_from_offset": 2,
         "valid_to_offset": 5, "view": "log", "is_own": True, "profile": "", "attributes": "{}"},
        topic="journal", partition=0, replica="",
    )  # fmt: skip
    folder = write_results(tmp_path, records=records_table(*({} for _ in range(8))), state=state)
    for text in (
        '"artifact version pay/invoice/1"',
        "pay/invoice",
        "pay/*",
        '"artifact-version pay/invoice"',
    ):
        assert found(folder, f"entity:{text}") == [2, 5], text
    assert found(folder, 'entity:"rule pay/invoice/1"') == []
