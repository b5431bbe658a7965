"""A loss in a small journal has its repair tried, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.webapp.reports.views.test_repair import BROKEN, finding, journal
from webapp.journals.models import Inspection, Repair
from webapp.reports.repair import automatic
from webapp.reports.repair.automatic import MAX_RECORDS, is_worth_a_trial, request_trial, request_trial_logged
from webapp.reports.report import read_report

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    messages: list[tuple[Any, ...]] = []
    monkeypatch.setattr("webapp.celery_client.send", lambda *message: messages.append(message))
    return messages


def test_a_loss_is_tried_once_and_by_nobody(
    inspected: Any, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    inspection = inspected(BROKEN)
    with django_capture_on_commit_callbacks(execute=True):
        repair = request_trial(inspection)
        assert request_trial(inspection) is None
    assert repair is not None
    assert repair.requested_by is None
    assert len(sent) == 1
    assert Repair.objects.count() == 1


@pytest.mark.parametrize(
    "make",
    [journal(), journal(finding("compaction-loss", severity="medium")), journal(finding("crc-mismatch")),
     journal(finding("content-null-update"), dialect="plain")],
    ids=["nothing lost", "a loss of little weight", "what no repair takes away", "a journal that cannot be repaired"],
)  # fmt: skip
def test_nothing_is_tried_where_a_repair_has_nothing_to_do(
    make: Any, inspected: Any, sent: list[Any]
) -> None:
    assert request_trial(inspected(make)) is None


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


def test_what_goes_wrong_leaves_the_report(
    inspected: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise OSError("the queue is away")

    monkeypatch.setattr(automatic, "request_repair", broken)
    inspection: Inspection = inspected(BROKEN)
    request_trial_logged(inspection)
    assert "could not be requested" in caplog.text
