"""What an older dump holds and the journal lost without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from spark.stages.older import OlderDump
from spark.terms.findings import Finding
from tests.spark.states import files_of
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on

ID = "gone-since-older-dump"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)


def found(folder: Path, newer: str, older: str) -> list[dict[str, object]]:
    """The findings of this detector on a journal beside an older dump of it."""
    parts = ["kafkasql-journal-0"]
    report_on(files_of(CORPUS / older, parts), folder / "older")
    limits = Limits(older=[OlderDump("morning.json", folder / "older")])
    report = inspect(
        in_process, files_of(CORPUS / newer, parts), folder / "newer", NoProgress(), limits  # type: ignore[arg-type,return-value]
    )  # fmt: skip
    return [one for one in report["findings"] if one["detector"] == ID]


def test_an_artifact_that_a_null_record_took_is_named_with_the_dump_that_holds_it(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, "repairs-real/a1-append-2-compacted", "apicurio-real/incident-a-1-at-risk")
    assert finding["severity"] == "critical"
    assert "artifact pay/invoice.proto and version pay/invoice.proto/1" in str(finding["title"])
    assert "morning.json" in str(finding["title"])
    assert "2026-11-21" in str(finding["explanation"])


def test_what_compaction_removes_from_a_healthy_journal_is_not_gone(tmp_path: Path) -> None:
    assert found(tmp_path, "apicurio-real/healthy-c-compacted", "apicurio-real/healthy-c") == []


def test_what_the_registry_rejects_has_a_cause_of_its_own(tmp_path: Path) -> None:
    assert found(tmp_path, "apicurio-real/incident-a-2-lost", "apicurio-real/incident-a-1-at-risk") == []


def test_a_deletion_is_no_loss(tmp_path: Path) -> None:
    """The older side holds what the journal deletes later."""
    assert (
        found(tmp_path, "apicurio-real/latent-a-before-compaction", "apicurio-real/latent-a-after-compaction")
        == []
    )


def test_without_an_older_dump_it_says_nothing(tmp_path: Path) -> None:
    report = report_on(
        files_of(CORPUS / "repairs-real/a1-append-2-compacted", ["kafkasql-journal-0"]), tmp_path
    )
    assert [one for one in report["findings"] if one["detector"] == ID] == []


def test_the_finding_is_of_the_catalogue_s_form() -> None:
    from spark.detectors.apicurio.gone_since_older_dump import detector

    row = {
        "topic": "kafkasql-journal", "partition": 0, "replica": "", "names": ["artifact a/b"], "artifacts": ["a/b"],
        "dump": "old.json", "dumped_at_ms": None,
    }  # fmt: skip
    finding = detector.describe(row)
    assert isinstance(finding, Finding)
    assert finding.title == "artifact a/b is missing: the older dump old.json contains it"
    assert "newest record" not in finding.explanation
