"""Whether a topic is compacted: proven, likely, assumed or not."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from spark.log.cleanings import NOTHING_SHOWN
from spark.report.compaction_policy import SHOWN, compaction
from spark.terms.marked import pieces, plain

APICURIO = {"topic": "journal", "dialect": "apicurio-v2"}
PLAIN = {"topic": "journal", "dialect": "plain"}


def shown(
    compacted: str, why: str, topic: str = "journal", partition: int = 0, of_copies: int = 1, **more: Any
) -> dict[str, Any]:
    copy = {
        "topic": topic, "partition": partition, "replica": "", "copies": 1, "of_copies": of_copies,
        "are_logs": True, "are_outputs": False,
    }  # fmt: skip
    return copy | {"compacted": compacted, "why": why} | more


@pytest.mark.parametrize(
    ("journal", "rows", "certainty", "sentence"),
    [
        (APICURIO, [shown("no", NOTHING_SHOWN)], "assumed", "Assumed to be compacted: journals of Apicurio"),
        (APICURIO, [shown("likely", "a null value deletes a key"), shown("proven", "its checkpoint")], "proven",
         "Proven to be compacted: its checkpoint."),
        (APICURIO, [shown("likely", "a null value deletes a key")], "likely", "Likely to be compacted: a null value"),
        (APICURIO, [shown("no", "the topic's cleanup.policy was delete")], "no", "Not compacted: the topic's cleanup"),
        (APICURIO, [shown("proven", "its checkpoint", topic="other")], "assumed", "Assumed"),
        (PLAIN, [shown("no", NOTHING_SHOWN)], "no", "The input does not show that this topic is compacted."),
        ({**APICURIO, "dialect": "apicurio-v3"}, [], "no", "The input does not show"),
        ({**APICURIO, "dialect": "share-group-state"}, [shown("likely", "a null value")], "no", "The input does not show"),
        ({**APICURIO, "dialect": "share-group-state"}, [shown("proven", "its checkpoint")], "proven", "Proven"),
    ],
    ids=["nothing shown", "one copy proves it", "a tombstone", "another policy", "another topic", "no service known",
         "a service that never compacts", "tombstones of such a service", "compacted all the same"],
)  # fmt: skip
def test_the_input_decides_and_else_the_service(
    journal: dict[str, Any], rows: list[dict[str, Any]], certainty: str, sentence: str
) -> None:
    answer = compaction(journal, rows)
    assert answer["certainty"] == certainty
    assert plain(answer["sentence"]).startswith(sentence)


def test_words_of_the_data_are_marked_and_our_own_are_not() -> None:
    policy = shown("proven", "the topic's cleanup.policy was compact, by payroll.txt")
    kinds = [piece.kind for piece in pieces(compaction(APICURIO, [policy])["sentence"])]
    assert kinds == ["", "quote", ""]
    checkpoint = shown("proven", "the checkpoint of the log cleaner names it, with offset 12")
    assert [piece.kind for piece in pieces(compaction(APICURIO, [checkpoint])["sentence"])] == [""]


OUTPUTS = {"are_logs": False, "are_outputs": True}
CHECKPOINT = "the checkpoint of the log cleaner names it, with offset {}"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([shown("proven", CHECKPOINT.format(12), of_copies=3), shown("proven", CHECKPOINT.format(9), partition=1, of_copies=3)],
         "Proven to be compacted, as 2 of 3 partitions show (journal-0: the checkpoint of the log cleaner names it, with offset 12)."),
        ([shown("no", NOTHING_SHOWN, of_copies=2), shown("proven", CHECKPOINT.format(9), partition=1, of_copies=2)],
         "Proven to be compacted, as 1 of 2 partitions shows (journal-1: the checkpoint of the log cleaner names it, with offset 9)."),
        ([shown("proven", CHECKPOINT.format(9), partition=number, of_copies=2, replica=f"broker-{number}") for number in (0, 1)],
         "Proven to be compacted, as all 2 replicas show (journal-0 on broker-0: the checkpoint of the log cleaner names it, with offset 9)."),
        ([shown("proven", CHECKPOINT.format(9), of_copies=2, replica="a.txt (lines 3-9)") | OUTPUTS],
         "Proven to be compacted, as 1 of 2 outputs shows (journal-0 in a.txt (lines 3-9): the checkpoint of the log cleaner names it, with offset 9)."),
        ([shown("proven", "a policy", copies=2, of_copies=2)], "Proven to be compacted: a policy."),
        ([shown("no", NOTHING_SHOWN, copies=4, of_copies=5), shown("no", "the topic's cleanup.policy was delete", partition=4, of_copies=5)],
         "Not compacted, as 1 of 5 partitions shows (journal-4: the topic's cleanup.policy was delete)."),
    ],
    ids=["some partitions", "one partition", "replicas", "outputs", "all the same", "a policy of one partition"],
)  # fmt: skip
def test_partitions_that_show_different_things_are_counted_and_one_is_named(
    rows: list[dict[str, Any]], expected: str
) -> None:
    assert plain(compaction(APICURIO, rows)["sentence"]) == expected


def test_the_reason_that_most_copies_show_comes_first() -> None:
    connection = duckdb.connect()
    connection.execute("""
        CREATE TABLE cleanings AS SELECT * FROM (VALUES
            ('journal', 0, '', 'proven', 'its checkpoint'), ('journal', 1, '', 'proven', 'its policy'),
            ('journal', 2, '', 'proven', 'its policy'), ('other', 0, '', 'no', 'nothing')
        ) AS rows(topic, partition, replica, compacted, why)
    """)
    connection.execute("CREATE TABLE files AS SELECT '' AS replica, 'segment' AS kind")
    rows = connection.execute(SHOWN).fetchall()
    assert rows[0] == ("journal", "proven", "its policy", 2, 3, 1, "", True, False)
    assert [row[2] for row in rows] == ["its policy", "its checkpoint", "nothing"]
