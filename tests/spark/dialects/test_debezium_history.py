"""Debezium's schema history: tables as a connector knows them, and records that it skips."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects import dialects
from spark.dialects.debezium_history import dialect, read_record
from tests.builders import records_table
from tests.spark.connect_journals import record
from tests.spark.replays import replayed

SHARED = {"source": {"server": "s"}, "position": {"pos": 4, "file": "b"}, "ts_ms": 5, "databaseName": "shop"}


def change(kind: str, table: str, *columns: str, previous: str | None = None) -> dict[str, Any]:
    shape = {
        "columns": [{"name": name, "typeName": "INT", "typeExpression": "INT"} for name in columns],
        "primaryKeyColumnNames": ["id"],
    }
    named = {"previousId": f'"shop"."{previous}"'} if previous else {}
    return {"type": kind, "id": f'"shop"."{table}"', "table": shape, **named}


def history(*changes: dict[str, Any], ddl: str = "CREATE TABLE t") -> dict[str, Any]:
    return {**SHARED, "ddl": ddl, "tableChanges": list(changes)}


CREATED = history(change("CREATE", "orders", "id"))


def held(*values: Any) -> dict[str, Any]:
    assert dialect.interpret is not None
    rows = [record(offset, (None, value), "history") for offset, value in enumerate(values)]
    state, _ = replayed(dialect, dialect.interpret(records_table(*rows)))
    return {
        f"{row['entity_type']}:{row['entity_id']}": json.loads(row["attributes"])
        for row in state.to_pylist()
        if row["valid_to_offset"] is None
    }


def test_a_table_is_read_with_its_columns() -> None:
    entry_type, action, entity_id, attributes, error, _ = read_record(None, json.dumps(CREATED).encode())
    assert (entry_type, action, entity_id, error) == ("schema-change", "create", "shop.orders", None)
    members = json.loads(attributes or "")
    assert members["tables"][0]["columns"] == ["id INT"]
    assert (members["databaseName"], members["position"]["pos"]) == ("shop", 4)


def test_several_tables_are_a_change_of_the_database() -> None:
    both = history(change("CREATE", "a"), change("DROP", "b"))
    assert read_record(None, json.dumps(both).encode())[1:3] == ("change", "shop")


def test_tables_come_change_and_go() -> None:
    altered = history(change("ALTER", "orders", "id", "total"))
    assert held(CREATED, altered) == {
        "table:shop.orders": {"columns": ["id INT", "total INT"], "primaryKey": ["id"]}
    }
    assert held(CREATED, history(change("DROP", "orders"))) == {}


def test_a_renamed_table_leaves_its_old_name() -> None:
    assert set(held(CREATED, history(change("ALTER", "sales", "id", previous="orders")))) == {
        "table:shop.sales"
    }


def test_a_record_of_an_old_version_leaves_its_statement() -> None:
    old = {name: SHARED[name] for name in ("source", "position", "databaseName")} | {"ddl": "CREATE TABLE x"}
    assert held(old) == {"database:shop": {"ddl": "CREATE TABLE x"}}
    assert read_record(None, json.dumps(old).encode())[1] == "ddl"


def test_passwords_in_statements_are_cut_out() -> None:
    user = history(ddl="CREATE USER x IDENTIFIED BY 'hunter2'")
    attributes = read_record(None, json.dumps(user).encode())[3]
    assert json.loads(attributes or "")["ddl"] == "CREATE USER x IDENTIFIED BY '[redacted]'"


@pytest.mark.parametrize(
    "value",
    [b"", b"x", b"[]", b'{"source":{}}', b'{"source":{},"position":1,"ddl":"x"}', b'{"source":{},"position":{}}'],
)  # fmt: skip
def test_what_a_connector_skips_says_so(value: bytes) -> None:
    _, action, _, marks, error, _ = read_record(None, value)
    assert action is None
    assert error
    assert json.loads(marks or "") == {"effect": "skipped"}


@pytest.mark.parametrize(
    "odd",
    [{"tableChanges": [1, {}]}, {"tableChanges": "x"}, {"tableChanges": [{"type": 1, "id": 2, "table": {"columns": [1]}}]},
     {"tableChanges": [{"table": {"columns": 1}}]}],
)  # fmt: skip
def test_odd_members_are_read_as_far_as_they_go(odd: dict[str, Any]) -> None:
    assert read_record(None, json.dumps({**SHARED, **odd}).encode())[4] is None


def test_a_database_name_that_is_no_text_is_unreadable() -> None:
    assert read_record(None, json.dumps({**SHARED, "databaseName": 5}).encode())[4]


def test_members_too_deep_to_keep_are_unreadable_and_change_nothing() -> None:
    deep = json.dumps({**SHARED, "position": {"pos": "deep"}}).replace('"deep"', "[" * 300 + "]" * 300)
    assert set(held(CREATED, deep.encode())) == {"table:shop.orders"}


def test_null_is_skipped() -> None:
    assert read_record(None, None)[1] == "ignored"
    assert set(held(CREATED, None, b"x")) == {"table:shop.orders"}


def test_it_wins_by_its_values_and_leaves_others_alone() -> None:
    rows = records_table(record(0, (None, CREATED), "x"))
    assert dialect.sniff("x", rows).score > max(
        d.sniff("x", rows).score for n, d in dialects().items() if n != dialect.id
    )
    event = {"before": None, "after": {}, "source": {}, "op": "c", "ts_ms": 1}
    assert dialect.sniff("x", records_table(record(0, ("k", event), "x"))).score == 0
    public = {"source": {}, "databaseName": "shop", "ddl": "x", "tableChanges": []}
    assert dialect.sniff("x", records_table(record(0, ("k", public), "x"))).score == 0
    assert dialect.sniff("x", records_table()).score == 0
    assert not dialect.is_compacted
