"""What each reader of a partition gets to see."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.tables.replica import PartitionReplica
from tests.webapp.reports.ledger import ledger
from tests.webapp.reports.result_folder import add_marks
from webapp.reports.filters.compiled import compiled
from webapp.reports.filters.former import RecordFilter
from webapp.reports.filters.parser import parse_filter
from webapp.reports.queries.isolation import IsolationView, restrictions, seen_by, view_options
from webapp.reports.queries.keys import KeysQuery, list_keys
from webapp.reports.queries.partitions import survey, survey_of
from webapp.reports.queries.records import list_records
from webapp.reports.results import open_results

PLACE = PartitionReplica("ledger", 0)


@pytest.mark.parametrize(
    ("reader", "offsets"),
    [
        pytest.param(IsolationView(), [0, 1, 2, 3, 4, 5, 6, 8], id="read_uncommitted sees everything"),
        pytest.param(
            IsolationView(committed=True), [0, 1, 5], id="read_committed stops at the open transaction"
        ),
        pytest.param(IsolationView(cleaned=True), [1, 2, 4, 5, 6, 8], id="the cleaner keeps the committed b"),
        pytest.param(IsolationView(committed=True, cleaned=True), [1, 5], id="both"),
    ],
)
def test_a_reader_sees_its_part(tmp_path: Path, reader: IsolationView, offsets: list[int]) -> None:
    with open_results(ledger(tmp_path)) as results:
        whole = survey(results)
        seen = results.restricted(restrictions(reader, view_options(results.of(PLACE))))
        facts = survey_of(seen.of(PLACE), whole).facts[PLACE]
        page = list_records(seen.of(PLACE), RecordFilter(), facts)
        assert page.offsets == offsets
        assert page.total == len(offsets)


def test_a_survey_is_of_the_whole_log(tmp_path: Path) -> None:
    with open_results(ledger(tmp_path)) as results:
        seen = seen_by(IsolationView(committed=True), results.of(PLACE)).results
        assert seen.is_restricted
        assert survey(seen) == survey(results)
        assert survey(results).facts[PLACE].bounds == (0, 8)


def test_an_aborted_record_is_marked_where_everything_is_seen(tmp_path: Path) -> None:
    with open_results(ledger(tmp_path)) as results:
        whole = survey(results)
        seen = results.restricted(restrictions(IsolationView(), view_options(results.of(PLACE))))
        facts = survey_of(seen.of(PLACE), whole).facts[PLACE]
        page = list_records(seen.of(PLACE), RecordFilter(parse_filter("kind:aborted")), facts)
        assert page.offsets == [3]


@pytest.mark.parametrize(
    "reader", [IsolationView(), IsolationView(committed=True), IsolationView(cleaned=True)]
)
def test_marks_are_those_of_the_records_that_a_reader_sees(tmp_path: Path, reader: IsolationView) -> None:
    add_marks(ledger(tmp_path))
    with open_results(tmp_path) as results:
        seen = seen_by(reader, results.of(PLACE))
        offsets = {
            table: [row["offset"] for row in seen.rows(f'SELECT "offset" FROM {table} ORDER BY ALL')]
            for table in ("lifelines", "marks")
        }
        kinds = seen.rows("""SELECT "offset", kind FROM marks WHERE kind = 'aborted'""")
    assert offsets["marks"] == offsets["lifelines"] != []
    assert [row["offset"] for row in kinds] == ([3] if reader == IsolationView() else [])


def test_keys_as_the_cleaner_leaves_them_have_one_version(tmp_path: Path) -> None:
    with open_results(ledger(tmp_path)) as results:
        seen = results.restricted(restrictions(IsolationView(cleaned=True), view_options(results.of(PLACE))))
        rows, total = list_keys(
            seen.of(PLACE), KeysQuery(sort="key", descending=False), compiled(seen.of(PLACE), None)
        )
        assert [(bytes(row["key"]), row["last_offset"], row["versions"]) for row in rows] == [
            (b"a", 5, 1),
            (b"b", 1, 1),
            (b"c", 6, 1),
            (b"d", 8, 1),
        ]
        assert total == 4


def test_what_is_remembered_of_one_reader_is_not_told_to_another(tmp_path: Path) -> None:
    with open_results(ledger(tmp_path)) as results:
        options = view_options(results.of(PLACE))
        whole = survey(results)
        counts = [
            survey_of(results.restricted(restrictions(reader, options)).of(PLACE), whole).facts[PLACE].records
            for reader in (
                IsolationView(committed=True),
                IsolationView(cleaned=True),
                IsolationView(committed=True),
            )
        ]
        assert counts == [3, 4, 3]
