"""ksqlDB's commands: what stands in them, what they leave, and where a server stops."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects import dialects
from spark.dialects.ksqldb_commands import dialect, read_record
from tests.builders import records_table
from tests.spark.connect_journals import Pair, record
from tests.spark.replays import replayed

ORDERS: Pair = ('"stream/`ORDERS`/create"', {"statement": "CREATE STREAM ORDERS (ID INT)", "version": 12})
TOTALS: Pair = (
    '"table/`TOTALS`/create"',
    {"statement": "CREATE TABLE TOTALS AS SELECT", "plan": {"queryPlan": {"queryId": "CTAS_TOTALS_1"}}, "version": 12},
)  # fmt: skip


def drop(kind: str, name: str) -> Pair:
    return f'"{kind}/{name}/drop"', {"statement": f"DROP {kind} {name};"}


def run(*pairs: Pair) -> tuple[set[str], list[tuple[int, str]]]:
    """Names of what is there at the end, and refusals."""
    assert dialect.interpret is not None
    rows = [record(offset, pair, "commands") for offset, pair in enumerate(pairs)]
    state, refusals = replayed(dialect, dialect.interpret(records_table(*rows)))
    held = {f"{r['entity_type']}:{r['entity_id']}" for r in state.to_pylist() if r["valid_to_offset"] is None}
    return held, [(row["offset"], row["reason"]) for row in refusals.to_pylist()]


def read(key: str, value: Any) -> dict[str, Any]:
    text = None if value is None else json.dumps(value).encode()
    entry_type, action, entity_id, attributes, error, _ = read_record(key.encode(), text)
    return {
        "type": entry_type,
        "action": action,
        "id": entity_id,
        "error": error,
        **json.loads(attributes or "{}"),
    }


def test_a_command_is_read_without_its_plan() -> None:
    entry = read(*TOTALS)  # type: ignore[arg-type]
    assert (entry["type"], entry["action"], entry["id"]) == ("command", "create", "table/TOTALS")
    assert (entry["queryId"], entry["version"], entry["error"]) == ("CTAS_TOTALS_1", 12, None)
    assert "plan" not in entry


def test_a_name_may_hold_a_slash() -> None:
    assert read('"stream/`A/B`/create"', {"statement": "x"})["id"] == "stream/A/B"


def test_secrets_are_cut_out() -> None:
    settings = {"ksql.schema.registry.basic.auth.user.info": "me:hunter2", "auto.offset.reset": "earliest"}
    entry = read('"stream/A/create"', {"statement": "x", "streamsProperties": settings})
    assert entry["streamsProperties"] == {
        "ksql.schema.registry.basic.auth.user.info": "[redacted]",
        "auto.offset.reset": "earliest",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"stream/A/create", b'{"statement":"x"}'), (b'"stream/A"', b'{"statement":"x"}'), (b"{}", b'{"statement":"x"}'),
        (b'"x/A/create"', b'{"statement":"x"}'), (None, b'{"statement":"x"}'), (b'"stream/A/create"', b"test"),
        (b'"stream/A/create"', b"{}"), (b'"stream/A/create"', b'{"statement":"x","version":"12"}'), (b'"stream/A/create"', b""),
    ],
)  # fmt: skip
def test_what_a_server_cannot_read_stops_it(key: bytes | None, value: bytes) -> None:
    _, action, _, marks, error, _ = read_record(key, value)
    assert action is None
    assert error
    assert json.loads(marks or "")["effect"] == "fatal"


def test_streams_tables_and_queries_are_there_until_they_are_dropped() -> None:
    assert run(ORDERS, TOTALS)[0] == {"stream:ORDERS", "table:TOTALS", "query:CTAS_TOTALS_1"}
    assert run(ORDERS, TOTALS, drop("table", "TOTALS"))[0] == {"stream:ORDERS"}
    terminate: Pair = ('"terminate/CTAS_TOTALS_1/execute"', {"statement": "TERMINATE CTAS_TOTALS_1;"})
    assert run(ORDERS, TOTALS, terminate)[0] == {"stream:ORDERS", "table:TOTALS"}
    everything: Pair = ('"terminate/ALL/execute"', {"statement": "TERMINATE ALL;"})
    assert run(ORDERS, TOTALS, everything)[0] == {"stream:ORDERS", "table:TOTALS"}
    cluster: Pair = ('"cluster/TerminateCluster/terminate"', {"statement": "TERMINATE CLUSTER;"})
    assert run(ORDERS, TOTALS, cluster)[0] == set()


def test_an_insert_is_a_query_and_no_stream() -> None:
    insert: Pair = (
        '"stream/ORDERS/create"',
        {"statement": "INSERT INTO ORDERS SELECT", "plan": {"queryPlan": {"queryId": "INSERTQUERY_3"}}},
    )
    assert run(ORDERS, insert) == ({"stream:ORDERS", "query:INSERTQUERY_3"}, [])


def test_an_altered_stream_tells_what_altered_it() -> None:
    alter: Pair = ('"stream/ORDERS/alter"', {"statement": "ALTER STREAM ORDERS ADD COLUMN X INT;"})
    assert run(ORDERS, alter) == ({"stream:ORDERS"}, [])


def test_create_twice_is_refused_unless_the_statement_allows_it() -> None:
    assert run(ORDERS, ORDERS)[1] == [(1, "already-exists")]
    for words in ("CREATE OR REPLACE STREAM ORDERS", "CREATE STREAM IF NOT EXISTS ORDERS"):
        assert run(ORDERS, ('"stream/ORDERS/create"', {"statement": words}))[1] == []
    assert run(ORDERS, drop("stream", "ORDERS"), ORDERS)[1] == []


def test_drop_of_what_is_not_there_is_refused() -> None:
    assert run(drop("stream", "NONE"))[1] == [(0, "source-missing")]


def test_nothing_is_executed_behind_what_cannot_be_read() -> None:
    held, refused = run(ORDERS, ('"stream/X/create"', b"test"), TOTALS)
    assert held == {"stream:ORDERS"}
    assert refused == [(1, "unreadable"), (2, "after-unreadable")]


def test_a_query_id_that_is_no_text_is_none() -> None:
    odd = {"statement": "CREATE STREAM X", "plan": {"queryPlan": {"queryId": 5}}}
    assert run(('"stream/X/create"', odd)) == ({"stream:X"}, [])


def test_null_values_are_skipped() -> None:
    assert run(ORDERS, ('"stream/ORDERS/create"', None)) == ({"stream:ORDERS"}, [])


def test_it_wins_by_its_records_and_leaves_others_alone() -> None:
    rows = records_table(record(0, ORDERS, "x"), record(1, TOTALS, "x"))
    assert dialect.sniff("x", rows).score > max(
        d.sniff("x", rows).score for n, d in dialects().items() if n != dialect.id
    )
    assert dialect.sniff("x", records_table({"key": b'"a/b/c"', "value": b'{"statement":"x"}'})).score == 0
    assert dialect.sniff("x", records_table()).score == 0
    assert not dialect.is_compacted
