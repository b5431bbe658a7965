"""Many records that prove a finding: the first ones are shown, the others are in a fold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.paging import before_fold, in_fold

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("rows", "shown", "folded"), [(0, 0, 0), (5, 5, 0), (6, 6, 0), (7, 5, 2), (36, 5, 31)]
)
def test_a_fold_contains_two_rows_or_more(rows: int, shown: int, folded: int) -> None:
    numbers = list(range(rows))
    assert (len(before_fold(numbers)), len(in_fold(numbers))) == (shown, folded)
    assert [*before_fold(numbers), *in_fold(numbers)] == numbers


@pytest.mark.parametrize(("records", "summary"), [(6, ""), (9, "4 more records")])
def test_the_table_of_a_finding_is_folded(records: int, summary: str, inspected: Any, get: Any) -> None:
    def make(folder: Path) -> Path:
        cause = finding("cause", evidence=list(range(records)))
        rows = [{"offset": offset, "key": b"k"} for offset in range(records)]
        return write_results(folder, report_document(findings=[cause]), records=records_table(*rows))

    page = get(inspected(make), "report-overview").content.decode()
    assert page.count('<table class="table table-sm folds proof">') == 1 + bool(summary)
    assert ("more records" in page) == bool(summary)
    assert f"<summary>{summary}</summary>" in page or not summary
