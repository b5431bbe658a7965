"""A rule and a filter that say the same of a member or header find the same records."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.rules.language import parse
from spark.rules.query import matches
from spark.tables.replica import PartitionReplica
from tests.spark.rules.test_evaluation import COMPARED, MEMBERS, RULE
from tests.webapp.reports.result_folder import write_results
from webapp.reports.filters.former import RecordFilter
from webapp.reports.filters.parser import parse_filter
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.records import RecordPosition, find_offsets
from webapp.reports.results import open_results


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_results(tmp_path_factory.mktemp("compared"), records=MEMBERS)


@pytest.mark.parametrize(("when", "text", "expected"), COMPARED)
def test_a_rule_and_a_filter_find_the_same(when: str, text: str, expected: list[int], folder: Path) -> None:
    rule = parse(RULE.format(name="ours", over="records", text="x", when=when))
    sql, values = matches(rule, rule.over)
    journal = PartitionReplica("journal", 0)
    with open_results(folder) as results:
        by_rule = sorted(row["proof"] for row in results.rows(sql, values))
        facts = survey(results).facts[journal]
        wanted = RecordFilter(parse_filter(text))
        by_filter = find_offsets(results.of(journal), wanted, facts, RecordPosition(), 100).offsets
    assert by_rule == by_filter == expected
