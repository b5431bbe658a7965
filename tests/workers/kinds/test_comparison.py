"""The worker's part of a comparison, on Spark and a real Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.jobs import progress
from webapp.journals.models import Comparison, Inspection, Journal
from workers.jobs import housekeeping, spark_runner
from workers.jobs.runner import perform
from workers.kinds.comparison import KIND

pytestmark = [pytest.mark.django_db, pytest.mark.spark]


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    """No JVM is left behind."""
    yield
    spark_runner.end()


@pytest.fixture
def inspected(project: Any, house: Any) -> Callable[..., Inspection]:
    """A finished inspection of records given as rows."""

    def make(*rows: dict[str, Any], name: str = "journal") -> Inspection:
        journal = Journal.objects.create(project=project, name=name)
        inspection = Inspection.objects.create(journal=journal, state="done")
        write_results(Path(inspection.results), records=records_table(*rows))
        return inspection

    return make


def asked(left: Inspection, right: Inspection) -> Comparison:
    return Comparison.objects.create(left=left, right=right, requested_at=timezone.now())


def performed(left: Inspection, right: Inspection) -> Comparison:
    comparison = asked(left, right)
    perform(KIND, str(comparison.pk))
    comparison.refresh_from_db()
    return comparison


def test_two_inspections_are_compared_and_the_result_is_kept(inspected: Any) -> None:
    left = inspected({"value": b"1"}, {"value": b"2"}, name="before")
    right = inspected({"value": b"1"}, {"value": b"3"}, name="after")
    found = performed(left, right)
    assert (found.state, found.error) == ("done", "")
    assert found.result["sentence"].startswith("before and after contain different records of journal-0")
    assert not progress.is_alive(found.pk)


def test_an_inspection_with_itself_is_its_copies_beside_each_other(inspected: Any) -> None:
    copies = inspected({"offset": 0, "replica": "a"}, {"offset": 0, "replica": "b"})
    found = performed(copies, copies)
    assert found.result["equal"] is True
    assert found.result["sentence"] == "a and b contain the same 1 record of journal-0."


def test_without_copies_the_page_is_told_what_to_do(inspected: Any) -> None:
    single = inspected({"offset": 0})
    found = performed(single, single)
    assert (found.state, found.result) == ("failed", None)
    assert found.error.startswith("This inspection contains only one replica of each partition.")


def test_results_that_are_gone_fail_with_a_sentence(inspected: Any) -> None:
    left, right = inspected({}), inspected({})
    (Path(right.results) / "tables.json").unlink()
    assert performed(left, right).error.startswith("The results of one of the two inspections")


def test_a_second_message_does_nothing_while_a_worker_is_at_it(inspected: Any) -> None:
    comparison = asked(inspected({}), inspected({}))
    Comparison.objects.update(state="running")
    perform(KIND, str(comparison.pk))
    comparison.refresh_from_db()
    assert comparison.state == "running"


def test_what_a_dead_worker_left_running_is_taken_up(inspected: Any) -> None:
    left = inspected({})
    comparison = asked(left, inspected({}))
    Comparison.objects.update(state="running", attempts=1)
    housekeeping.take_up_abandoned()
    perform(KIND, str(comparison.pk))
    comparison.refresh_from_db()
    assert comparison.state == "done"
