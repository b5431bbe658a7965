"""Root findings with one cause are one incident; what has causes of its own is not."""

from __future__ import annotations

from typing import Any

from spark.report.incidents import MAX_PLANNED, as_json, incidents, one_plan
from spark.terms.findings import Effect, Finding, Severity
from spark.terms.marked import partition, plain


def finding(detector: str, offset: int, severity: Severity = "critical", **more: Any) -> Finding:
    """At one offset of moves-0."""
    members: dict[str, Any] = {
        "title": f"{detector} at {offset}",
        "explanation": "",
        "remedy": "1. Act.",
        "topic": "moves",
        "partition": 0,
        "first_offset": offset,
        "last_offset": offset,
        "entity": f"thing:{offset}",
    }
    return Finding(detector=detector, severity=severity, **{**members, **more})


def emptied(offset: int, *artifacts: str, event: str = "", when: str = "already") -> Finding:
    """A content whose UPDATE stands at an offset, and the artifacts that need it."""
    effects = [Effect("lost", "version", f"{artifact}/1", when) for artifact in artifacts]
    return finding("content-null-update", offset, effects=effects, event=event)


def sizes(*findings: Finding) -> list[int]:
    """How many findings each incident has."""
    return [len(one.findings) for one in incidents(findings)]


def test_one_start_that_empties_three_contents_is_one_incident_that_names_event_and_damage() -> None:
    (incident,) = incidents(
        [
            emptied(276, "pay/a", event="start:275"),
            emptied(277, "pay/b", event="start:275"),
            emptied(278, "pay/c", event="start:275"),
        ]
    )
    assert plain(incident.title) == (
        "3 artifacts return 404, after the next restart at the latest: 3 content items emptied by the restart at offset 275"
    )
    assert incident.severity == "critical"


def test_two_starts_are_two_incidents() -> None:
    assert sizes(
        emptied(276, event="start:275"), emptied(277, event="start:275"), emptied(400, event="start:399")
    ) == [2, 1]


def test_without_the_record_of_the_start_updates_that_stand_close_together_are_one_incident() -> None:
    assert sizes(emptied(166), emptied(177), emptied(900)) == [2, 1]
    assert plain(incidents([emptied(166, "a/b"), emptied(177, "a/b")])[0].title) == (
        "Artifact a/b returns 404, after the next restart at the latest: 2 content items emptied"
    )


def test_what_is_lost_already_and_what_will_be_are_told_apart() -> None:
    (incident,) = incidents(
        [emptied(10, "a/b", event="start:9"), emptied(11, "a/c", event="start:9", when="next_compaction")]
    )
    assert plain(incident.title).startswith(
        "Artifact a/b returns 404, after the next restart at the latest; artifact a/c is lost at the next compaction: "
    )


def test_bits_that_one_disk_flipped_in_two_partitions_are_one_incident_and_those_of_another_replica_are_not() -> (
    None
):
    here = [
        finding("crc-mismatch", 48, replica="broker-1"),
        finding("unreadable-bytes", 90, replica="broker-1", partition=1),
    ]
    assert sizes(*here) == [2]
    assert sizes(*here, finding("crc-mismatch", 48, replica="broker-2")) == [2, 1]


def test_ids_given_twice_and_versions_overwritten_by_two_writers_are_one_incident_per_partition() -> None:
    raced = [
        finding("schema-id-collision", 1),
        finding("schema-id-collision", 5),
        finding("version-overwritten", 5),
    ]
    assert sizes(*raced) == [3]
    assert sizes(*raced, finding("schema-id-collision", 1, topic="other")) == [3, 1]


def test_connectors_that_fail_are_incidents_of_their_own() -> None:
    assert sizes(finding("task-failed", 4), finding("task-failed", 9)) == [1, 1]


def test_one_producer_whose_transaction_hangs_in_two_partitions_is_one_incident() -> None:
    hanging = [
        finding("hanging-transaction", 60, "high", event="producer:7:0", partition=number)
        for number in (0, 1)
    ]
    assert sizes(*hanging) == [2]
    assert sizes(*hanging, finding("hanging-transaction", 61, "high", event="producer:8:0")) == [2, 1]


def test_the_plan_of_a_disk_names_each_partition_of_a_step_and_counts_the_findings_left_out() -> None:
    def damaged(number: int) -> Finding:
        name = partition("moves", number)
        return finding("crc-mismatch", 4, "high", partition=number, remedy=f"Restore {name} from a backup.")

    (incident,) = as_json(incidents([damaged(0), damaged(1)]))
    assert [(step["finding"], plain(step["step"])) for step in incident["plan"]] == [
        (None, "Restore moves-0 and moves-1 from a backup.")
    ]
    (incident,) = as_json(incidents([damaged(number) for number in range(MAX_PLANNED + 1)]))
    assert "Follow the steps of the other 1 finding" in plain(incident["plan"][-1]["step"])


def test_consequences_and_notes_make_no_incident() -> None:
    cause = emptied(276)
    consequence = finding("dangling-content-hash", 300, consequence_of=cause.id)
    assert sizes(
        cause, consequence, finding("version-gap", 5, "info"), finding("overdue-tombstone", 6, "low")
    ) == [1]


def test_a_rule_of_the_project_makes_incidents_of_its_own() -> None:
    assert sizes(finding("rule:shop/late", 4, "high"), finding("rule:shop/late", 9, "high")) == [1, 1]


def test_victims_are_those_of_consequences_too_and_each_entity_is_there_once() -> None:
    cause = emptied(276, "a/b")
    consequence = finding(
        "compaction-loss",
        300,
        consequence_of=cause.id,
        effects=[
            Effect("lost", "version", "a/b/1", "already"),
            Effect("lost", "rule", "a/b/VALIDITY", "already"),
        ],
    )
    further = finding(
        "dangling-reference",
        301,
        consequence_of=consequence.id,
        effects=[Effect("lost", "version", "c/d/1", "already")],
    )
    named = incidents([cause, consequence, further])[0].victims
    assert [(one.finding, one.effect.entity_id) for one in named] == [
        (cause.id, "a/b/1"),
        (consequence.id, "a/b/VALIDITY"),
        (further.id, "c/d/1"),
    ]


def test_findings_and_consequences_name_their_incident_in_the_document() -> None:
    cause = emptied(276, "a/b")
    consequence = finding("dangling-content-hash", 300, consequence_of=cause.id)
    note = finding("version-gap", 5, "info")
    every = [cause, consequence, note]
    (document,) = as_json(incidents(every))
    assert [one.incident for one in every] == [document["id"], document["id"], None]
    assert document["findings"] == [cause.id]
    assert document["victim_count"] == len(document["victims"]) == 1
    assert plain(document["title"]) == cause.title


def test_the_id_of_an_incident_stays_when_one_of_its_findings_goes() -> None:
    both = [emptied(276, event="start:275"), emptied(277, event="start:275")]
    assert incidents(both)[0].id == incidents(both[1:])[0].id


def test_steps_that_all_plans_share_are_there_once_and_what_differs_stands_between_by_finding() -> None:
    plans = {
        "1": ["dump", "append 1", "start"],
        "2": ["dump", "append 2", "start"],
        "3": ["look", "dump", "start"],
    }
    assert [(one["finding"], one["step"]) for one in one_plan(plans)] == [
        ("3", "look"),
        (None, "dump"),
        ("1", "append 1"),
        ("2", "append 2"),
        (None, "start"),
    ]
    assert one_plan({}) == []


def test_findings_with_the_same_steps_of_their_own_have_them_once() -> None:
    plans = {"a": ["copy it", "stop it"], "b": ["raise it", "stop it"], "c": ["raise it", "stop it"]}
    assert [(one["finding"], one["step"]) for one in one_plan(plans)] == [
        ("a", "copy it"),
        ("b", "raise it"),
        (None, "stop it"),
    ]


def test_of_equally_severe_incidents_the_one_that_loses_something_is_first() -> None:
    revived = finding(
        "resurrection-after-compaction",
        5,
        effects=[Effect("revived", "artifact", name, "already") for name in "abc"],
    )
    assert [one.findings[0].detector for one in incidents([revived, emptied(900, "a/b")])] == [
        "content-null-update",
        "resurrection-after-compaction",
    ]


def test_the_plan_of_very_many_findings_has_the_steps_of_the_worst_and_says_so() -> None:
    many = [emptied(number, event="start:1") for number in range(2 * MAX_PLANNED)]
    for one in many:
        one.write("remedy", f"1. Restore content {one.first_offset}.")
    (document,) = as_json(incidents(many))
    assert len(document["plan"]) == MAX_PLANNED + 1
    assert plain(document["plan"][-1]["step"]) == (
        f"Follow the steps of the other {MAX_PLANNED} findings of this incident. Each finding contains its own."
    )
