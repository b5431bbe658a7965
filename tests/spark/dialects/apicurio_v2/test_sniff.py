"""Recognition by content: the topic's name plays no part."""

from __future__ import annotations

import json

from spark.dialects.apicurio_v2 import sniff
from tests.builders import records_table
from tests.generator.apicurio import healthy
from tests.spark.apicurio_journals import corpus, envelopes, generated, json_record


def test_a_journal_under_another_name_is_recognised() -> None:
    match = sniff("backup-of-something", generated(healthy(seed=7)))
    assert match.score > 90
    assert "Apicurio Registry 2.x" in match.why


def test_a_journal_of_the_next_generation_is_refused() -> None:
    key = json.dumps({"uuid": "n7YT", "messageType": "Bootstrap", "partitionKey": "x"}).encode()
    match = sniff("kafkasql-journal", records_table({"key": key, "value": None}))
    assert match.score == 0
    assert "3.x" in match.why


def test_a_real_journal_of_the_next_generation_is_refused() -> None:
    assert (
        sniff(
            "kafkasql-journal", envelopes(corpus("apicurio-real", "v3-a", "kafkasql-journal.base64.ndjson"))
        ).score
        == 0
    )


def test_json_keys_are_not_enough() -> None:
    match = sniff(
        "kafkasql-journal", records_table({"key": b'{"artifactId":"a","uuid":"u"}', "value": b"{}"})
    )
    assert match.score == 0


def test_a_type_byte_with_foreign_members_is_not_enough() -> None:
    assert (
        sniff("kafkasql-journal", records_table({"key": json_record(3, {"order": 5}), "value": b"{}"})).score
        == 0
    )


def test_a_few_fitting_records_in_a_foreign_topic_convince_nobody() -> None:
    rows = [{"key": json_record(6, {"groupId": "g"})}] + [{"key": b"order-%d" % n} for n in range(50)]
    assert 0 < sniff("orders", records_table(*rows)).score < 10


def test_no_records_prove_nothing() -> None:
    assert sniff("kafkasql-journal", records_table()).score == 0
