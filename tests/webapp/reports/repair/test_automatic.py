"""A loss in a small journal has its repair tried, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.webapp.reports.pages.test_repair import BROKEN, finding, journal
from webapp.journals.models import Repair
from webapp.reports.repair.automatic import MAX_RECORDS, is_due, is_worth_a_trial
from webapp.reports.report import read_report

pytestmark = pytest.mark.django_db


def test_a_loss_is_due_until_somebody_repairs_it(inspected: Any) -> None:
    inspection = inspected(BROKEN)
    assert is_due(inspection)
    Repair.objects.create(inspection=inspection)
    assert not is_due(inspection)


@pytest.mark.parametrize(
    "make",
    [journal(), journal(finding("compaction-loss", severity="medium")), journal(finding("crc-mismatch")),
     journal(finding("content-null-update"), dialect="plain")],
    ids=["nothing lost", "a loss of little weight", "what no repair takes away", "a journal that cannot be repaired"],
)  # fmt: skip
def test_nothing_is_tried_where_a_repair_has_nothing_to_do(make: Any, inspected: Any) -> None:
    assert not is_due(inspected(make))


@pytest.mark.parametrize(("records", "is_due"), [(MAX_RECORDS - 1, True), (MAX_RECORDS, False)])
def test_only_a_small_journal_is_tried(records: int, is_due: bool, inspected: Any) -> None:
    document = json.loads((inspected(BROKEN).results / "report.json").read_text())
    document["coverage"]["records"] = records
    assert is_worth_a_trial(read_report(document)) == is_due


def test_a_topic_without_a_name_waits_for_the_user(inspected: Any) -> None:
    document = json.loads((inspected(BROKEN).results / "report.json").read_text())
    document["journals"][0]["topic"] = "?"
    document["findings"][0]["topic"] = "?"
    assert not is_worth_a_trial(read_report(document))
