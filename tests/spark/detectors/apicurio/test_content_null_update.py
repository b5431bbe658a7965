"""The incident in all its stages: generated with changing ids, keys and offsets, and as real registries left it."""

from __future__ import annotations

import json
import re
from typing import Any

import pyarrow as pa
import pytest

from spark.detectors.apicurio import _content_words as words
from spark.detectors.apicurio._content_facts import ContentFacts, Record, add_null, add_refusal
from spark.detectors.apicurio._contents import harmed
from spark.detectors.apicurio._repair import rest_path
from spark.detectors.apicurio.content_null_update import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.apicurio import healthy, incident
from tests.spark.apicurio_journals import (
    corpus,
    envelopes,
    findings,
    generated,
    json_record,
    real_cases,
    real_journal,
    records_of,
)

THIS = "content-null-update"


def found(records: pa.Table) -> list[Finding]:
    """This detector's findings."""
    return [finding for finding in findings(records) if finding.detector == THIS]


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stage", ["at_risk", "lost"])
@pytest.mark.parametrize("first_content_id", [None, 4711], ids=["ids from 1", "ids from 4711"])
def test_a_generated_incident_is_found_where_it_is(
    seed: int, stage: Any, first_content_id: int | None
) -> None:
    tenant = ["_", "t-1"][seed % 2]
    journal = incident(
        seed,
        stage,
        affected_count=1 + seed % 2,
        restarts=1 + seed % 3,
        tenant=tenant,
        first_content_id=first_content_id,
    )
    truth = sorted(
        (
            update.offsets[0],
            update.offsets[-1],
            "critical" if update.is_lost else "high",
            f"content {update.content_id}",
        )
        for update in journal.empty_updates
    )
    seen = found(generated(journal))
    assert (
        sorted(
            (f.first_offset, f.last_offset, f.severity, t[3] if t[3] in f.title.lower() else f.title)
            for f, t in zip(seen, truth, strict=True)
        )
        == truth
    )
    for finding, update in zip(seen, sorted(journal.empty_updates, key=lambda u: u.offsets[0]), strict=True):
        assert set(update.artifact_offsets) <= set(finding.evidence)
        assert (f"ffset {update.content_offset} contains" in finding.explanation) is not update.is_lost


def test_a_healthy_journal_is_left_alone() -> None:
    for seed in range(5):
        assert findings(generated(healthy(seed))) == []


def test_the_same_bytes_made_anew_are_told_apart_from_the_lost_ones() -> None:
    journal = incident(5, "lost", life_goes_on=True, made_again=True)
    truth = {(u.offsets[-1], "critical" if u.is_lost else "high") for u in journal.empty_updates}
    assert len(truth) == 2
    every = found(generated(journal))
    assert {(f.last_offset, f.severity) for f in every} == truth
    (lost,) = [finding for finding in every if finding.severity == "critical"]
    again = max(offset for update in journal.empty_updates for offset in update.artifact_offsets)
    assert "returns 404 by its IDs, after the next restart" in plain(lost.title)
    assert plain(lost.title).endswith(f"; created again at offset {again} with other IDs")
    assert f"Requests by name get the version that was created again at offset {again}." in plain(
        lost.explanation
    )
    remedy = plain(lost.remedy)
    assert "Append no copy of the artifact record at offset" in remedy
    assert f"because the version at offset {again} has its name" in remedy
    assert "Get the exact bytes" not in remedy
    (risky,) = [finding for finding in every if finding.severity == "high"]
    assert "created again" not in plain(risky.remedy)
    headlines = [detector.headline(each) for each in ([lost], every, [risky])]
    assert ["versions of artifact" in plain(line) for line in headlines] == [True, True, False]


def test_a_version_that_was_not_created_again_warns_that_it_becomes_the_latest() -> None:
    journal = incident(5, "lost", life_goes_on=True, made_again=True, affected_versions=3)
    _, second, _ = found(generated(journal))
    remedy = plain(second.remedy)
    assert "version 2 returns 404, after" in plain(second.title)
    assert "copies of its earlier records become its latest versions" in remedy
    assert "`GET /apis/registry/v2/ids/contentIds/" in remedy, "its name is that of the later artifact"


def test_the_explanation_tells_the_story_in_order() -> None:
    journal = incident(9, affected_versions=1)
    (update,) = journal.empty_updates
    (finding,) = found(generated(journal))
    story = [
        f"Offset {update.content_offset} contains",
        f"started at offset {update.restart_offset}",
        f"Offset {update.offsets[0]} is an UPDATE",
        "needs it",
    ]
    assert [finding.explanation.index(words) for words in story] == sorted(
        finding.explanation.index(words) for words in story
    )
    assert "canonical-hash upgrader" in finding.explanation
    assert "2.1.3 to 2.5.8" in finding.explanation
    assert finding.evidence == [
        update.content_offset,
        *update.artifact_offsets,
        update.restart_offset,
        *update.offsets,
    ]


def test_later_versions_that_will_fall_are_named_and_appended_again() -> None:
    for seed in range(20):
        journal = incident(seed, affected_versions=4)
        first, *others = sorted(found(generated(journal)), key=lambda finding: finding.evidence[0])
        if "its later versions will be rejected too" in first.explanation:
            assert "version 2" in first.explanation
            assert all(str(f.evidence[1]) in first.remedy for f in others)
            return
    pytest.fail("no generated incident had an artifact with several versions")


def test_a_start_after_the_update_is_named_and_no_proof_that_requests_fail_since_then() -> None:
    journal = incident(3, "lost")
    rows = [(entry.offset, entry.record.key, entry.record.value) for entry in journal.stored]
    (before,) = found(records_of(rows))
    bootstrap = json_record(0, {"bootstrapId": "a-later-one"})
    (after,) = found(records_of([*rows, (journal.next_offset, bootstrap, None)]))
    later = f"Later, a registry started (offset {journal.next_offset}"
    assert later not in before.explanation
    assert later in after.explanation
    assert "It returns 404 if compaction had removed the content before that start." in after.explanation


def test_a_tombstone_of_a_later_version_proves_that_a_registry_rejected_the_first_one() -> None:
    facts = ContentFacts()
    add_refusal(facts, refusal(8, "pay/money/1", "content-null"))
    add_refusal(facts, refusal(9, "pay/money/2", "artifact-missing", "content:_/other"))
    add_null(facts, {"entity_id": "pay/money/2", "offset": 14})
    facts.records[CONTENT].append(Record(11, "empty", "2", ("Content", "2")))
    (case_found,) = harmed(facts)
    assert (case_found.failed_by, case_found.later_start) == (14, None)
    assert "the tombstone at offset 14" in plain(words.explanation(case_found))


CONTENT = "content:_/hash"


def refusal(offset: int, version: str, reason: str, needs: str = CONTENT) -> dict[str, Any]:
    """A version's record that replay rejects."""
    return {"offset": offset, "type": "version", "action": reason, "entity_id": version, "needs": needs}


@pytest.mark.parametrize("stage", ["at_risk", "lost"])
def test_following_the_remedy_makes_the_journal_safe(stage: Any) -> None:
    whole = incident(3, "at_risk")
    (update,) = whole.empty_updates
    journal = incident(3, stage)
    records = {entry.offset: entry.record for entry in whole.stored}
    again = [update.content_offset, *update.artifact_offsets]
    mended = [(entry.offset, entry.record.key, entry.record.value) for entry in journal.stored]
    mended += [(journal.next_offset + n, records[o].key, records[o].value) for n, o in enumerate(again)]
    assert findings(records_of(mended)) == []


def test_content_alone_appended_again_is_too_late() -> None:
    whole, journal = incident(3, "at_risk"), incident(3, "lost")
    (update,) = whole.empty_updates
    record = next(entry.record for entry in whole.stored if entry.offset == update.content_offset)
    mended = [(entry.offset, entry.record.key, entry.record.value) for entry in journal.stored]
    mended.append((journal.next_offset, record.key, record.value))
    (finding,) = found(records_of(mended))
    assert (finding.severity, "comes after its artifact record" in finding.title) == ("critical", True)
    assert (
        f"Append a copy of the artifact record at offset {update.artifact_offsets[0]}, then copies of the later"
        in finding.remedy
    )


def test_a_lost_content_of_a_deleted_artifact_is_said_to_be_needed_by_nothing_left() -> None:
    journal = incident(3, "lost")
    (update,) = journal.empty_updates
    key = next(entry.record.key for entry in journal.stored if entry.offset == update.artifact_offsets[0])
    assert key is not None
    members = {**json.loads(key[1:]), "uuid": "the-deletion"}
    deleted = [(entry.offset, entry.record.key, entry.record.value) for entry in journal.stored]
    deleted.append((journal.next_offset, key[:1] + json.dumps(members).encode(), b'\x03{"action":3}'))
    (finding,) = findings(records_of(deleted))
    assert finding.severity == "critical"
    assert "needed it and has been deleted" in finding.explanation


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_give_what_their_truth_says(case: str) -> None:
    truth = json.loads(corpus("apicurio-real", case, "case.json").read_text())
    expected = [e for e in truth["expect"] if e["finding"] == THIS]
    seen = found(real_journal(case))
    for want in expected:
        assert [
            f
            for f in seen
            if f.first_offset <= want["first_offset"] <= f.last_offset and f.severity == want["severity"]
        ]
    if not expected and THIS not in truth["allow"]:
        assert seen == []


@pytest.mark.parametrize(("stage", "severity"), [("before", "high"), ("after", "critical")])
def test_the_published_journal_is_judged_as_its_authors_did(stage: str, severity: str) -> None:
    (finding,) = found(envelopes(corpus("apicurio", f"journal-2024-02-08-{stage}-compaction.base64.ndjson")))
    assert (finding.first_offset, finding.last_offset, finding.severity) == (10, 10, severity)
    assert "content 2" in finding.title.lower()
    assert ("returns 404, after the next restart at the latest: its content" in finding.title) is (
        stage == "after"
    )
    assert "Requests for this artifact then return 404." in finding.explanation


def test_the_headline_counts_contents_and_names_artifacts() -> None:
    lost = found(generated(incident(3, "lost", affected_count=2)))
    many = found(generated(incident(3, "lost", affected_count=3)))
    risky = found(generated(incident(3, "at_risk")))
    named = "artifacts orders/pickup.proto and payments/settlement.proto"
    assert (
        plain(detector.headline(lost))
        == f"{named} return 404, after the next restart at the latest: 2 content items are lost"
    )
    assert (
        plain(detector.headline(many))
        == "3 artifacts return 404, after the next restart at the latest: 3 content items are lost"
    )
    assert re.fullmatch(
        r"1 content item will be lost at the next compaction; artifact \S+ with it",
        plain(detector.headline(risky)),
    )
    assert re.fullmatch(
        r"artifact \S+ returns 404, after the next restart at the latest: its content is lost; 1 content item will be lost at .*",
        plain(detector.headline([*lost[:1], *risky])),
    )


def test_a_name_with_a_slash_is_one_part_of_its_address() -> None:
    path = plain(rest_path(["default/sample/table_info.proto/1"]))
    assert path == "groups/default/artifacts/sample%2Ftable_info.proto/versions/1"
