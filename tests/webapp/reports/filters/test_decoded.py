"""Members of values that only a schema tells: read in bulk, within bounds of time."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.rejected import Rejected
from webapp.reports.filters import decoded as decoded_module
from webapp.reports.filters.completion import FilterCompletion
from webapp.reports.filters.former import RecordFilter
from webapp.reports.filters.parser import parse_filter
from webapp.reports.queries import records as records_module
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.records import RecordPosition, find_offsets, whole_filter
from webapp.reports.results import open_results

ORDERS = PartitionReplica("orders", 0)
ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "units", "type": "long"}, {"name": "by", "type": "string"}],
}


def zigzag(number: int) -> bytes:
    number, out = number << 1, b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def order(number: int) -> bytes:
    name = b"acc-%d" % (number % 3)
    return struct.pack(">bi", 0, 7) + zigzag(number) + zigzag(len(name)) + name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty framed orders, one that fits no schema, one that is JSON, and the journal of their registry."""
    values = [
        *(order(n) for n in range(40)),
        struct.pack(">bi", 0, 9) + b"\xff",
        b'{"units": 41, "by": "acc-9"}',
    ]
    rows = [
        {
            "offset": n,
            "value": value,
            "value_form": "object" if value[:1] == b"{" else "framed",
            "value_schema_id": value[4],
        }
        for n, value in enumerate(values)
    ]
    schema = {"subject": "orders-value", "version": 1, "id": 7, "schema": json.dumps(ORDER)}
    registry = records_table({"key": b"{}", "value": json.dumps(schema).encode()}, topic="_schemas")
    state = {
        "entity_type": "schema", "entity_id": "orders-value/1", "profile": "confluent", "is_own": True, "view": "log",
        "valid_from_offset": 0, "origin_offset": 0, "attributes": json.dumps({"id": 7, "schemaType": "AVRO"}),
    }  # fmt: skip
    records = pa.concat_tables([records_table(*rows, topic="orders"), registry])
    tables: dict[str, Any] = {"records": records}
    tables["state"] = other_table("state", state, topic="_schemas", partition=0, replica="")
    return write_results(tmp_path_factory.mktemp("avro"), **tables)


def found(folder: Path, text: str, decodes: bool = True, **position: Any) -> Any:
    with open_results(folder) as results:
        facts = survey(results).facts[ORDERS]
        wanted = RecordFilter(parse_filter(text), decodes=decodes)
        return find_offsets(results.of(ORDERS), wanted, facts, RecordPosition(**position), 100)


def test_members_of_avro_are_compared_like_those_of_json(folder: Path) -> None:
    assert found(folder, "value.units >= 38").offsets == [38, 39, 41]
    assert found(folder, "value.by:acc-1 value.units < 5").offsets == [1, 4]
    assert found(folder, "value.by:null").offsets == [40]
    assert found(folder, "-value.by:acc-* ").offsets == [40]


def test_a_link_with_masks_asks_no_schema(folder: Path) -> None:
    assert found(folder, "value.units >= 38", decodes=False).offsets == [41]


def test_what_takes_too_long_is_searched_a_range_at_a_time(folder: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(records_module, "DECODING_SECONDS", 0)
    moments = iter(range(10_000))
    monkeypatch.setattr(decoded_module, "monotonic", lambda: next(moments) / 10 - 1)
    page = found(folder, "value.units >= 8")
    assert page.total is None
    assert page.searched is not None
    low, high = page.searched
    assert low == 0
    assert high < 40
    wanted = RecordFilter(parse_filter("value.units >= 8"))
    with open_results(folder) as results:
        bounds = survey(results).facts[ORDERS].bounds
        with pytest.raises(Rejected, match="takes longer"):
            whole_filter(results.of(ORDERS), wanted, bounds, 0)


def test_completion_knows_members_that_a_schema_tells(folder: Path) -> None:
    with open_results(folder) as results:
        facts = survey(results).facts[ORDERS]
        answer = FilterCompletion(results.of(ORDERS), facts, "value.u", 7).answer()
    (members,) = [group for group in answer["groups"] if group["title"] == "Members of the value"]
    assert [(choice["text"], choice["about"]) for choice in members["choices"]] == [
        ("value.units", "number, in 41 records")
    ]
