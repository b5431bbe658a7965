"""An inspection uses the rules that its project has switched on, keeps their versions, and fills the queue with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webapp.journals import uploads
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Upload
from webapp.review.models import Finding
from webapp.rules import changes
from webapp.rules.models import RuleUse
from workers.jobs import spark_runner
from workers.jobs.runner import perform
from workers.kinds.inspection import KIND

pytestmark = pytest.mark.django_db

PLAIN = [{"offset": 4, "key": "a", "payload": "1"}, {"offset": 5, "key": "b", "payload": "2"}]
RULE = """\
name: {name}
title: Records with the key a
severity: critical
over: {over}
when: {when}
text: "It says {{{column}}}"
remedy: Ask.
"""


@pytest.fixture
def inspection(project: Any, house: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inspection:
    """One that waits, of two plain records; Spark's tasks run in this process."""
    from spark.runtime.in_process import in_process

    monkeypatch.setattr(spark_runner, "run", lambda _, attempt: attempt(in_process))
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(PLAIN))
    sha256, size_bytes = uploads.hash_of(path), path.stat().st_size
    storage.store_copy(path, sha256)
    Blob.objects.create(sha256=sha256, size_bytes=size_bytes)
    journal = Journal.objects.create(project=project, name="plain")
    Upload.objects.create(journal=journal, name=path.name, size_bytes=size_bytes, blob_id=sha256)
    return Inspection.objects.create(journal=journal)


def add(project: Any, by: Any, name: str, over: str, when: str, column: str) -> Any:
    rule = changes.create(project, RULE.format(name=name, over=over, when=when, column=column), by)
    changes.set_active(rule, True, by)
    return rule


def test_active_rules_are_used_pinned_and_reviewed(
    inspection: Inspection, project: Any, reviewer: Any
) -> None:
    add(project, reviewer, "key-a", "records", "{column: key, is: a}", "value")
    add(project, reviewer, "no-entries", "entries", "{column: entity_id, is: a}", "entity_id")
    asleep = add(project, reviewer, "asleep", "records", "{column: key, is: b}", "value")
    changes.set_active(asleep, False, reviewer)
    perform(KIND, str(inspection.pk))
    inspection.refresh_from_db()
    assert (inspection.state, inspection.verdict_level) == ("done", "critical")
    report = json.loads((inspection.results / "report.json").read_text())
    assert [(rule["id"], rule["version"]) for rule in report["rules"]] == [
        ("rule:default/key-a", 1),
        ("rule:default/no-entries", 1),
    ]
    why = {entry["detector"]: entry["why"] for entry in report["not_run"]}
    assert "the journal type of this input is unknown" in why["rule:default/no-entries"]
    used = RuleUse.objects.filter(inspection=inspection).values_list("version__rule__name", flat=True)
    assert sorted(used) == ["key-a", "no-entries"]
    finding = Finding.objects.get(detector="rule:default/key-a")
    assert (finding.detector_version, finding.severity, finding.first_offset) == ("1", "critical", 4)
    assert finding.title == "Records with the key a: 1 record of partition 0"


def test_a_stored_rule_that_cannot_be_read_any_more_is_no_failed_inspection(
    inspection: Inspection, project: Any, reviewer: Any
) -> None:
    rule = add(project, reviewer, "old", "records", "{column: key, is: a}", "value")
    rule.versions.update(text="name: old\n")
    perform(KIND, str(inspection.pk))
    inspection.refresh_from_db()
    assert inspection.state == "done"
    report = json.loads((inspection.results / "report.json").read_text())
    why = {entry["detector"]: entry["why"] for entry in report["not_run"]}
    assert "Line 1: the rule lacks title" in why["rule:default/old"]
