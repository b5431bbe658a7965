"""What most detectors share: their question, the location of a finding, the headline."""

from __future__ import annotations

import pytest

from spark.detectors import clause, located, query
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import given_tables

ROW = {"topic": "orders", "partition": 3, "replica": "b1", "first_offset": 4, "last_offset": 9}
NO_ROWS = "SELECT 1 AS number WHERE false"


def findings(*partitions: int) -> list[Finding]:
    """One for each of these partitions."""
    return [
        Finding("some", "low", "", "", **located({**ROW, "partition": number}), remedy="")
        for number in partitions
    ]


def test_a_query_gives_the_rows_of_its_questions_in_order() -> None:
    rows = query("SELECT 2 AS number", "SELECT 1 AS number")(given_tables({}))
    assert [row["number"] for row in rows] == [2, 1]


def test_a_cheap_question_without_an_answer_spares_all_others() -> None:
    prepared: list[ResultTables] = []
    tables = given_tables({})
    assert query("no SQL", if_any=NO_ROWS, prepare=prepared.append)(tables) == []
    assert prepared == []


def test_tables_are_prepared_before_they_are_asked() -> None:
    find = query(
        "SELECT number FROM made",
        if_any="SELECT 1",
        prepare=lambda tables: tables.materialize("made", "SELECT 7 AS number"),
    )
    assert [row["number"] for row in find(given_tables({}))] == [7]


@pytest.mark.parametrize(
    ("offsets", "span"),
    [((), (4, 9)), ((7,), (7, 7)), ((5, 6, 8), (5, 8)), ((None,), (None, None))],
    ids=["of the row", "one", "several", "none"],
)
def test_a_location_has_the_offsets_of_its_row_or_others(
    offsets: tuple[int | None, ...], span: tuple[int | None, int | None]
) -> None:
    location = located(ROW, *offsets)
    assert (location["topic"], location["partition"], location["replica"]) == ("orders", 3, "b1")
    assert (location["first_offset"], location["last_offset"]) == span


@pytest.mark.parametrize(
    ("partitions", "text"),
    [((3,), "orders-3: 1 gap is left"), ((3, 3), "orders-3: 2 gaps are left"), ((3, 4), "2 partitions: 2 gaps are left")],
    ids=["one", "two of one partition", "of two partitions"],
)  # fmt: skip
def test_a_clause_counts_findings_and_names_their_partitions(partitions: tuple[int, ...], text: str) -> None:
    headline = clause("{partitions}: {count} left", "gap is", "gaps are")
    assert plain(headline(findings(*partitions))) == text
