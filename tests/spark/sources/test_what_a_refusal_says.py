"""A refusal says what the file is, what it shows and what to send instead, and asks for columns only where they may be a record's."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources._columns.question import in_terminal, question_on
from spark.sources._not_a_journal import identify
from spark.stages.plan import plan_inputs
from spark.terms.errors import UnknownColumns, UnreadableInput

STATUS = """ClusterId:              bXktY2x1c3Rlci1mb3ItaXQ
LeaderId:               7
LeaderEpoch:            %d
HighWatermark:          500
MaxFollowerLag:         %d
MaxFollowerLagTimeMs:   %d
CurrentVoters:          [7,8,9]
CurrentObservers:       []
"""
REPLICATION = """NodeId  LogEndOffset    Lag     LastFetchTimestamp      LastCaughtUpTimestamp   Status
7       500             0       1700000000000           1700000000000           Leader
8       500             0       1700000000000           1700000000000           Follower
9       -1              501     -1                      -1                      Follower
"""
GROUPS = """GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID
billing         orders          0          -               %d               -               -               -               -
billing         orders          1          -               0               -               -               -               -
"""
KEYS = '{"tenantId": "_", "uuid": "3f1d"}\n{"action": 1}\n{"tenantId": "_", "contentHash": "ab12", "contentId": 9}\n'


def refused(text: str, folder: Path) -> str:
    path = folder / "ticket.txt"
    path.write_text(text)
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile(path.name, str(path), path.stat().st_size)], {}, None, folder / "prints")
    return str(error.value)


def said(text: str) -> str:
    content = text.encode()
    identified = identify(InputFile("a.txt", "a.txt", len(content)), content)
    return identified.sentence("a.txt") if identified else ""


def test_a_status_of_the_quorum_asks_for_the_files_of_a_controller(tmp_path: Path) -> None:
    message = refused(STATUS % (1, 0, 312), tmp_path)
    assert message.startswith(
        "ticket.txt is the output of kafka-metadata-quorum and contains no records. Send the .log"
    )
    assert "__cluster_metadata-0" in message
    assert "TOPIC" not in message
    assert "Formats checked" not in message
    assert "voter" not in message


@pytest.mark.parametrize(
    ("lag", "time_ms", "words"),
    [
        (501, -1, "since its election: MaxFollowerLag is 501. This is more than the high watermark 500."),
        (40, -1, "since its election: MaxFollowerLag is 40."),
        (40, 9000, "for 9000 ms: MaxFollowerLag is 40."),
    ],
)
def test_a_voter_that_is_behind_is_said(lag: int, time_ms: int, words: str) -> None:
    assert f"A voter has not caught up with leader 7 (epoch 3) {words}" in said(STATUS % (3, lag, time_ms))


@pytest.mark.parametrize(("lag", "time_ms"), [(0, -1), (0, 0), (3, 200)])
def test_a_voter_on_its_way_is_not(lag: int, time_ms: int) -> None:
    assert "voter" not in said(STATUS % (3, lag, time_ms))


def test_a_follower_that_never_fetched_is_named() -> None:
    assert said(REPLICATION).endswith("Follower 9 has not caught up with the leader since its election.")


def test_of_several_prints_the_one_is_named_that_shows_more(tmp_path: Path) -> None:
    command = "```\n$ kafka-metadata-quorum.sh --bootstrap-server b:9092 describe --status\n%s```\n"
    message = refused(
        "Before:\n" + command % (STATUS % (1, 0, 5)) + "After:\n" + command % (STATUS % (2, 501, -1)),
        tmp_path,
    )
    assert message.startswith("ticket.txt (lines 16-23) is")
    assert "(epoch 2)" in message


@pytest.mark.parametrize("end", [0, 12])
def test_a_group_without_a_committed_offset_is_said(end: int) -> None:
    sentence = said(GROUPS % end)
    assert "It shows 2 partitions for which group billing has committed no offset." in sentence
    assert ("contains no record." in sentence) == (end == 0)


def test_a_tool_without_a_topic_names_none() -> None:
    text = "Feature: metadata.version\tSupportedMinVersion: 3.0-IV1\tSupportedMaxVersion: 4.0-IV3\tFinalizedVersionLevel: 4.0-IV3\tEpoch: 5\n"
    assert "Send a dump of the topic that you want to inspect: " in said(text)


def test_keys_of_a_registrys_journal_without_their_type_are_named(tmp_path: Path) -> None:
    message = refused("They are:\n```\nKey\n" + KEYS + "```\n", tmp_path)
    assert "is JSON of keys or values of Apicurio Registry's journal, without their first byte" in message
    assert "kafkasql-journal" in message
    assert "Formats checked" not in message


@pytest.mark.parametrize(
    "text", ['{"tenantId": "a", "uuid": "b"}\n', '{"tenantId": "a", "contentHash": "b", "amount": 3}\n']
)
def test_what_an_application_may_write_is_not(text: str) -> None:
    assert "Apicurio" not in said(text)


def test_columns_that_no_object_has_together_are_not_proposed() -> None:
    head = (
        b'{"owner":"a","orderKey":"k1"}\n{"owner":"a","orderPayload":"v1"}\n{"owner":"b","orderKey":"k2"}\n'
    )
    question = question_on(InputFile("a.json", "a.json", len(head)), head)
    assert question is not None
    assert question["mapping"] == ""
    together = head.replace(b'"orderKey":"k2"', b'"orderKey":"k2","orderPayload":"v2"')
    asked = question_on(InputFile("a.json", "a.json", len(together)), together)
    assert asked is not None
    assert asked["mapping"] == "key=orderKey,value=orderPayload"


def test_the_command_names_the_file_that_was_uploaded(tmp_path: Path) -> None:
    path = tmp_path / "ticket.txt"
    path.write_text("The rows:\n```\nid,KEY_X,body_txt\n1,a,b\n2,c,d\n```\nand\n```\nmore\n```\n")
    with pytest.raises(UnknownColumns) as error:
        plan_inputs([InputFile(path.name, str(path), path.stat().st_size)], {}, None, tmp_path / "prints")
    assert in_terminal(error.value.question).endswith(" ticket.txt")


DESCRIBED = "Topic: orders\tPartitionCount: 3\tReplicationFactor: 3\tConfigs: %s\n%s"
PARTITION = "\tTopic: orders\tPartition: %d\tLeader: 1\tReplicas: 1,2,3\tIsr: %s\n"


def test_replicas_that_are_not_in_sync_are_named(tmp_path: Path) -> None:
    rows = PARTITION % (0, "3,1,2") + PARTITION % (1, "1,2") + PARTITION % (2, "1")
    message = refused(DESCRIBED % ("min.insync.replicas=2,retention.ms=5", rows), tmp_path)
    assert (
        "2 partitions have replicas that are not in sync: orders-1 (broker 3) and orders-2 (brokers 2 and 3)."
        in message
    )
    assert "Producers with acks=all cannot write to orders-2: fewer" in message
    message = refused(DESCRIBED % ("retention.ms=5", rows), tmp_path)
    assert "acks=all" not in message, "the broker's default is not printed"
    message = refused(DESCRIBED % ("min.insync.replicas=2", PARTITION % (0, "3,1,2")), tmp_path)
    assert "in sync" not in message
    message = refused(PARTITION % (1, "1,2"), tmp_path)
    assert "1 partition has replicas that are not in sync: orders-1 (broker 3). Check that" in message
