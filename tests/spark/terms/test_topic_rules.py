"""The table of what may be done to each journal's topic, and the check that holds remedies against it."""

from __future__ import annotations

import pytest

from spark.dialects import dialects
from spark.terms.topic_commands import ALTER
from spark.terms.topic_rules import KAFKA_TOPICS, RULES, WRITTEN_AGAIN, written_again
from tests.spark.remedy_rules import forbidden


def test_every_dialect_has_its_rules() -> None:
    assert set(RULES) == set(dialects())


def test_what_a_service_keeps_compacted_may_be_compacted() -> None:
    assert [
        id
        for id, dialect in dialects().items()
        if dialect.replay and dialect.is_compacted and RULES[id].is_keyless
    ] == []


def test_kafkas_own_topics_are_never_written_by_hand() -> None:
    assert (
        {id for id, rules in RULES.items() if not rules.produce}
        == set(KAFKA_TOPICS.values())
        == set(WRITTEN_AGAIN)
    )
    assert written_again("orders") is None
    assert "commit their offsets again" in (written_again("__consumer_offsets") or "")


@pytest.mark.parametrize(
    ("dialect", "remedy"),
    [
        (
            "debezium-history",
            f"1. `{ALTER} t --add-config cleanup.policy=compact,retention.ms=-1,retention.bytes=-1`",
        ),
        ("ksqldb-commands", f"1. `{ALTER} t --add-config cleanup.policy=compact`"),
        ("ksqldb-commands", f"1. `{ALTER} t --add-config cleanup.policy=delete,retention.ms=-1`"),
        ("schema-registry", f"1. `{ALTER} t --add-config cleanup.policy=delete`"),
        ("consumer-offsets", "3. Produce the saved records again."),
        ("transaction-state", "3. For the key, produce a tombstone."),
        ("connect", "1. `kafka-delete-records.sh --offset-json-file x`"),
        ("connect", "2. Stop the worker that is no longer a member of the group."),
    ],
)
def test_a_remedy_that_could_do_harm_is_found(dialect: str, remedy: str) -> None:
    assert len(forbidden(dialect, "t", remedy)) == 1


@pytest.mark.parametrize(
    ("dialect", "remedy"),
    [
        (
            "debezium-history",
            f"1. `{ALTER} t --add-config cleanup.policy=delete,retention.ms=-1,retention.bytes=-1`",
        ),
        ("schema-registry", f"1. `{ALTER} t --add-config cleanup.policy=compact`"),
        ("schema-registry", "1. Produce a tombstone for each older key."),
        (
            "remote-log-metadata",
            "1. `kafka-delete-records.sh --offset-json-file x` for orders. Warning: all earlier records are deleted.",
        ),
        ("plain", "1. `kafka-delete-records.sh --offset-json-file x`"),
        (
            "connect",
            "2. If both workers are of one cluster, stop the worker that is no longer a member of the group.",
        ),
    ],
)
def test_a_remedy_that_keeps_to_the_rules_passes(dialect: str, remedy: str) -> None:
    assert forbidden(dialect, "t", remedy) == []
