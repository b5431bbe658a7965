"""Causes, consequences and the verdict's sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from spark.detectors import detectors
from spark.inspection import Detected
from spark.report.calm_verdict import JournalCoverage
from spark.report.copies import LayoutCopy
from spark.report.report_text import plain_text
from spark.report.summarise import report_of
from spark.report.unrun_checks import not_run, of_other_type
from spark.report.verdict import verdict as verdict_on
from spark.sources import LACKS
from spark.terms.findings import Finding, Severity
from spark.terms.marked import plain

TOPIC = "kafkasql-journal"
CONTENT = "content:_/ab"
FILE = {
    "file": 0,
    "name": "dump.json",
    "sha256": "00",
    "kind": "export",
    "layout": "kcat-json",
    "size_bytes": 9,
}


def finding(detector: str, severity: Severity, offset: int | None = 10, **more: Any) -> Finding:
    """A finding that says little."""
    words = {
        "title": f"{detector} at {offset}",
        "explanation": "1. It happened.\nIt matters.",
        "remedy": "1. Act.",
    }
    where = {"topic": TOPIC, "partition": 0, "first_offset": offset, "last_offset": offset}
    return Finding(detector=detector, severity=severity, **{**words, **where, **more})


def lost(offset: int = 10, content: str = CONTENT) -> Finding:
    """A lost content that one artifact needs."""
    return finding(
        "content-null-update",
        "critical",
        offset,
        entity=f"{content}#2",
        entities={content, "artifact:pay/money"},
    )


def at_risk(offset: int = 10, content: str = CONTENT) -> Finding:
    """A content that goes with the next compaction."""
    return finding(
        "content-null-update", "high", offset, entity=f"{content}#2", entities={content}, loses_later=True
    )


def broken(offset: int = 8, content: str = CONTENT, **more: Any) -> Finding:
    """An artifact without its content."""
    return finding(
        "dangling-content-hash", "critical", offset, entity=f"version:{offset}", entities={content}, **more
    )


def report(
    *findings: Finding, records: int = 4812, topics: tuple[str, ...] = (TOPIC,), **more: Any
) -> dict[str, Any]:
    """The report on these findings; every topic has one partition and all the records."""
    coverage = {
        "records": records * len(topics),
        "records_per_partition": {f"{topic}-0": records for topic in topics},
        "offsets_per_partition": {f"{topic}-0": [0, records - 1] for topic in topics} if records else {},
        "unreadable_bytes": 0,
        "isolation": "read_uncommitted",
        "cannot_tell": [],
        **more.pop("coverage", {}),
    }
    journals = [{"topic": topic, "partitions": [0], "dialect": "plain", "profile": None} for topic in topics]
    detected = Detected(findings, more.pop("clean", []), more.pop("not_run", []))
    return report_of([FILE], journals, coverage, detected, more.pop("copies", {}))


def verdict(*findings: Finding, **more: Any) -> tuple[str, str]:
    """Level and sentence."""
    found = report(*findings, **more)["verdict"]
    return found["level"], found["sentence"]


def test_nothing_found_is_healthy_on_so_many_records() -> None:
    assert verdict() == ("healthy", "Healthy. 4,812 records, no missing offsets.")
    assert verdict(records=1) == ("healthy", "Healthy. 1 record, no missing offsets.")


def test_offsets_that_nothing_explains_are_not_called_nothing_missing() -> None:
    def said(known: int, unknown: int, likely: int = 0, **more: Any) -> str:
        counts = {f"{TOPIC}-0": {"known": known, "unknown": unknown, "likely": likely}}
        return verdict(coverage={"absent_offsets_per_partition": counts, **more})[1]

    assert said(0, 14210) == (
        "No fault found. 4,812 records, 14,210 absent offsets. Cause: compaction, transactions or loss. The dump does "
        "not prove which. To find out, inspect the log segments."
    )
    assert said(7, 1, has_segments=True) == (
        "No fault found. 4,812 records, 1 absent offset. Cause: compaction or loss. Compare this replica with another "
        "replica."
    )
    assert said(0, 3, 3) == (
        "No fault found. 4,812 records, 3 absent offsets. Likely cause: compaction. The input does not prove it and does "
        "not exclude transactions or loss. To find out, inspect the log segments."
    )
    assert "Cause: compaction (likely for 1 of them), transactions or loss. The dump does not" in said(
        0, 3, 1
    )
    assert "Cause: compaction (likely for 1 of them) or loss. Compare" in said(0, 3, 1, has_segments=True)
    assert said(7, 0) == "Healthy. 4,812 records; 7 absent offsets, cause known."


def test_unexplained_offsets_of_one_journal_are_not_told_of_another() -> None:
    coverage = {"absent_offsets_per_partition": {"orders-0": {"known": 0, "unknown": 5}}}
    sentences = [
        journal["verdict"]["sentence"]
        for journal in report(topics=(TOPIC, "orders"), coverage=coverage)["journals"]
    ]
    assert sentences[0] == "Healthy. 4,812 records, no missing offsets."
    assert "5 absent offsets" in sentences[1]


def test_values_alone_are_never_called_healthy_with_nothing_missing() -> None:
    coverage = {"has_offsets": False, "cannot_tell": [LACKS["key"], LACKS["offset"]]}
    level, sentence = verdict(finding("format-upgrade", "info"), records=3, coverage=coverage)
    assert level == "healthy"
    assert sentence == (
        "No fault found. 3 values. The input contains no keys and no offsets, so these checks could not run: missing records, "
        "deleted or superseded records, compaction. 2 notes."
    )


def test_two_copies_of_a_partition_lose_a_content_once() -> None:
    first, second = lost(), lost()
    first.replica, second.replica = "", "kcat -J"
    segments = LayoutCopy("", "Log segment", frozenset(), is_segment=True)
    dump = LayoutCopy("kcat -J", "kcat -J", frozenset({"batches"}), is_segment=False)
    copies = {(TOPIC, 0, one.replica): [segments, dump] for one in (segments, dump)}
    said = report(second, first, copies=copies)
    assert said["verdict"]["sentence"].startswith(
        "Artifact pay/money returns 404, after the next restart at the latest: its content is lost"
    )
    assert [(one["replica"], one["copies"]) for one in said["findings"]] == [("", ["", "kcat -J"])]
    assert said["findings"][0]["explanation"].endswith(f"Both copies of {TOPIC}-0 in the input show this.")


def test_a_consequence_that_only_one_copy_shows_knows_its_cause_in_all() -> None:
    causes, consequence = [lost(), lost()], broken()
    causes[1].replica = consequence.replica = "dump"
    names = [
        LayoutCopy("", "Log segment", frozenset(), is_segment=True),
        LayoutCopy("dump", "dump", frozenset(), is_segment=False),
    ]
    copies = {(TOPIC, 0, one.replica): names for one in names}
    cause, follower = report(*causes, consequence, copies=copies)["findings"]
    assert follower["consequence_of"] == cause["id"]


def test_remarks_are_counted_and_worsen_nothing() -> None:
    remarks = [
        finding("format-upgrade", "info"),
        finding("restart-loop", "low"),
        finding("tombstone-without-value", "info"),
    ]
    assert verdict(*remarks) == (
        "healthy",
        "Healthy. 4,812 records, no missing offsets. 1 low finding and 2 notes.",
    )


def test_a_loss_names_what_it_breaks() -> None:
    assert verdict(lost(), broken()) == (
        "critical",
        "Artifact pay/money returns 404, after the next restart at the latest: its content is lost.",
    )


def test_a_risk_says_that_nothing_is_lost_yet() -> None:
    risks = [at_risk(n, f"content:_/{n}") for n in range(3)]
    assert verdict(*risks) == (
        "high",
        "No data is lost yet; 3 content items will be lost at the next compaction.",
    )


def test_with_a_loss_beside_it_a_risk_does_not_say_so() -> None:
    level, text = verdict(lost(), at_risk(20, "content:_/cd"))
    assert level == "critical"
    assert text.startswith("Artifact pay/money returns 404")
    assert text.endswith("; 1 content item will be lost at the next compaction.")
    assert "yet" not in text


def test_a_cut_dump_is_incomplete() -> None:
    assert verdict(finding("truncated-tail", "medium")) == (
        "medium",
        "The dump is incomplete: 1 segment is truncated within a batch.",
    )


def test_faults_of_several_replicas_are_not_added_up() -> None:
    def corrupt(replica: str, offset: int, partition: int = 0) -> Finding:
        where = {"replica": replica, "evidence": [offset], "partition": partition}
        return finding("crc-mismatch", "critical", offset, **where)

    start = "Java consumers of kafkasql-journal-0 stop at offset 5:"
    assert verdict(corrupt("a", 5), corrupt("b", 9), corrupt("c", 9))[1] == (
        f"{start} 1 corrupt record batch (checksum mismatch), similar in 2 more replicas."
    )
    assert (
        verdict(corrupt("a", 5), corrupt("a", 9))[1]
        == f"{start} 2 corrupt record batches (checksum mismatch)."
    )
    assert "2 corrupt record batches" in verdict(corrupt("a", 5), corrupt("a", 9, partition=1))[1]
    assert "2 corrupt record batches" in verdict(corrupt("", 5), corrupt("", 9))[1]


def test_a_consequence_knows_its_cause_and_leaves_the_verdict() -> None:
    every = report(lost(), broken(), broken(9))["findings"]
    assert [(f["detector"], f["consequence_of"]) for f in every] == [
        ("content-null-update", None),
        ("dangling-content-hash", every[0]["id"]),
        ("dangling-content-hash", every[0]["id"]),
    ]


@pytest.mark.parametrize(
    "other",
    [
        broken(content="content:_/other"),
        broken(partition=1),
        broken(topic="elsewhere"),
        broken(replica="broker-2"),
    ],
    ids=["another content", "another partition", "another topic", "another replica"],
)
def test_what_shares_no_entity_in_one_partition_is_a_cause_of_its_own(other: Finding) -> None:
    assert [f["consequence_of"] for f in report(lost(), other)["findings"]] == [None, None]


def test_the_worst_of_two_causes_is_the_cause() -> None:
    every = report(at_risk(30), lost(10), broken())["findings"]
    cause = next(f for f in every if f["first_offset"] == 10)
    assert next(f for f in every if f["first_offset"] == 8)["consequence_of"] == cause["id"]


def test_incidents_of_several_replicas_are_counted_and_the_intact_ones_named() -> None:
    def fault(name: str, replica: str, offset: int) -> Finding:
        return finding(name, "critical", offset, replica=replica)

    copies = {name: {"is_log": True} for name in ("a", "b", "c", "d")}
    faults = [
        fault("crc-mismatch", "a", 5),
        fault("unreadable-bytes", "b", 9),
        fault("offset-order", "b", 20),
        fault("epoch-order", "c", 40),
    ]
    checked = JournalCoverage(9, {"copies_per_partition": {"kafkasql-journal-0": copies}})
    assert (
        plain(verdict_on(checked, faults)["sentence"])
        == "4 incidents in 3 of 4 replicas of kafkasql-journal-0; d is intact."
    )
    assert "incidents" not in verdict_on(checked, faults[:3])["sentence"]


def test_findings_stand_worst_first_and_causes_before_consequences() -> None:
    every = report(
        finding("a", "info"), broken(), at_risk(5, "content:_/x"), lost(), finding("b", "medium", None)
    )["findings"]
    assert [f["severity"] for f in every] == ["critical", "critical", "high", "medium", "info"]
    assert every[0]["detector"] == "content-null-update"


def test_no_record_is_not_healthy() -> None:
    assert verdict(records=0) == ("medium", "The input contains no records.")
    level, text = verdict(finding("unreadable-bytes", "critical"), records=0)
    assert level == "critical"
    assert (
        text
        == "No record could be read; consumers of kafkasql-journal-0 stop at or skip 1 range of unreadable bytes."
    )


def test_of_several_journals_each_has_its_verdict_and_the_sick_ones_are_named() -> None:
    document = report(lost(), topics=(TOPIC, "orders"))
    assert [journal["verdict"]["level"] for journal in document["journals"]] == ["critical", "healthy"]
    assert document["journals"][1]["verdict"]["sentence"] == "Healthy. 4,812 records, no missing offsets."
    assert document["verdict"]["level"] == "critical"
    assert document["verdict"]["sentence"] == (
        "1 of 2 journals needs attention. kafkasql-journal: Artifact pay/money returns 404, after the next restart at the latest: its content is lost."
    )


def test_an_empty_journal_beside_a_full_one_raises_no_alarm() -> None:
    document = report(
        topics=(TOPIC, "empty"), coverage={"records_per_partition": {f"{TOPIC}-0": 4812}, "records": 4812}
    )
    assert document["verdict"]["level"] == "healthy"
    own = document["journals"][1]["verdict"]
    assert (own["level"], own["sentence"]) == ("healthy", "No fault found. This journal contains no records.")


def test_what_the_layout_lacks_is_a_remark_with_the_data_that_would_help() -> None:
    unrun = [
        not_run(detectors()["crc-mismatch"], "it carries no batches", ["batches"]),
        of_other_type(detectors()["content-null-update"]),
    ]
    document = report(
        coverage={"cannot_tell": ["record batches"]},
        not_run=unrun,
        clean=["source-too-poor", "offset-order"],
    )
    (remark,) = document["findings"]
    assert (remark["detector"], remark["severity"]) == ("source-too-poor", "info")
    assert remark["explanation"].splitlines()[1:] == [
        "With the log segments 1 more check can run: checksums."
    ]
    assert document["clean"] == ["offset-order"]
    assert document["verdict"]["sentence"] == "Healthy. 4,812 records, no missing offsets. 1 note."


def test_the_document_is_json_and_has_the_members_of_the_contract() -> None:
    document = json.loads(json.dumps(report(lost(), broken())))
    assert set(document) == {
        "schema",
        "files",
        "verdict",
        "journals",
        "coverage",
        "incidents",
        "findings",
        "clean",
        "not_run",
        "unrun_checks",
        "tables",
    }
    promised = {"id", "detector", "severity", "confidence", "title", "explanation", "topic", "partition", "first_offset",
                "last_offset", "key", "evidence", "remedy", "references", "consequence_of"}  # fmt: skip
    assert promised <= set(document["findings"][0])
    assert "entities" not in document["findings"][0]


def test_the_text_says_the_verdict_first_and_folds_consequences_under_their_cause() -> None:
    text = plain_text(
        report(
            lost(), *(broken(offset) for offset in range(20, 35)), finding("x", "info", title="By the way")
        )
    )
    assert text.startswith("CRITICAL: Artifact pay/money returns 404")
    assert (
        text.index("What to do")
        < text.index("Consequences")
        < text.index("and 5 more")
        < text.index("By the way.")
    )
    assert "kafkasql-journal-0: offsets 0-4811, 4,812 records" in text


def test_commands_are_not_broken_over_lines() -> None:
    command = "`kafka-configs.sh " + "--long-option value " * 10 + "`"
    text = plain_text(
        report(
            finding(
                "content-null-update",
                "high",
                remedy=f"1. Look here: {command}",
                title="t",
                entities={CONTENT},
            )
        )
    )
    assert command in text


def test_the_text_ends_with_what_better_data_would_allow_and_lists_checks_only_when_verbose() -> None:
    unrun = [
        not_run(detectors()[name], "it carries no batches", ["batches"])
        for name in ("crc-mismatch", "offset-order")
    ]
    document = report(not_run=[*unrun, of_other_type(detectors()["version-gap"])])
    brief, verbose = plain_text(document), plain_text(document, is_verbose=True)
    assert brief.endswith("With the log segments 2 more checks can run: checksums.\n")
    assert "crc-mismatch" not in brief
    assert "1 check does not apply: the input contains no journal of Schema registry (_schemas)." in verbose
    assert "crc-mismatch, offset-order: it carries no batches." in verbose


def test_what_a_whole_topic_shares_links_its_partitions() -> None:
    spread = replace(lost(), detector="several-partitions", entities={"topic:elsewhere"}, partition=1)
    needs = replace(broken(), entities={"topic:elsewhere"})
    every = report(spread, needs, replace(needs, topic="elsewhere"))["findings"]
    causes = {one["topic"]: one["consequence_of"] for one in every if one["detector"] != "several-partitions"}
    assert causes[spread.topic] is not None
    assert causes["elsewhere"] is None


def test_a_committed_offset_links_findings_of_different_topics() -> None:
    committed = {"committed:billing/us.orders/1"}
    cause = replace(
        lost(), detector="checkpoint-untranslated", entities=committed, topic="us.checkpoints.internal"
    )
    commit = replace(broken(), detector="commit-out-of-range", entities=committed, topic="__consumer_offsets")
    every = {one["detector"]: one for one in report(cause, commit)["findings"]}
    assert every["commit-out-of-range"]["consequence_of"] == every["checkpoint-untranslated"]["id"]
