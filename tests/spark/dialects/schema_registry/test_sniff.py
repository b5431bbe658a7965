"""A journal of schema registries is told by its keys, its name settles doubts."""

from __future__ import annotations

import struct

import pytest

from spark.dialects import dialects
from spark.dialects.schema_registry import sniff
from tests.spark.dialects.schema_registry.journals import (
    Parts,
    config,
    key,
    real_cases,
    real_records,
    records_of,
    schema,
    tombstone,
)

JOURNAL = [config(None), schema(), tombstone(), (key("NOOP"), None)]
OTHERS: dict[str, Parts] = {
    "plain": (b"customer-1", b"{}"),
    "json key": (b'{"id":1,"magic":1}', b"{}"),
    "keytype of another kind": (b'{"keytype":"RSA","magic":1}', b"{}"),
    "keytype that is no word": (b'{"keytype":{"a":1},"magic":1}', b"{}"),
    "apicurio 2": (b'\x03{"artifactId":"a","tenantId":"_"}', b"\x03{}"),
    "apicurio 3": (b'{"uuid":"1","messageType":"CreateArtifact3Message"}', b"{}"),
    "connect": (b"connector-files", b'{"properties":{}}'),
    "transactions": (struct.pack(">hh", 0, 1) + b"t", None),
    "no key": (None, b"{}"),
}


@pytest.mark.parametrize("topic", ["_schemas", "registry-7", "?"])
def test_keys_tell_it_whatever_the_topic_is_called(topic: str) -> None:
    match = sniff(topic, records_of(*JOURNAL, (b"junk", b"")))
    assert match.score > 90
    assert "4 of 5 checked keys" in match.why


@pytest.mark.parametrize("name", OTHERS)
def test_other_journals_are_refused_even_under_its_name(name: str) -> None:
    assert sniff("_schemas", records_of(OTHERS[name])).score == 0


def test_the_name_settles_what_few_keys_leave_open() -> None:
    records = records_of(schema(), *[(b"junk-%d" % number, b"") for number in range(9)])
    assert sniff("_schemas", records).score == 90
    assert 1 < sniff("other", records).score < 20


def test_an_empty_sample_says_nothing() -> None:
    assert sniff("_schemas", records_of(*JOURNAL).slice(0, 0)).score == 0


@pytest.mark.parametrize("case", real_cases())
def test_no_other_dialect_claims_a_real_journal(case: str) -> None:
    records = real_records(case)
    scores = {name: dialect.sniff("?", records).score for name, dialect in dialects().items()}
    best = max(scores, key=lambda name: scores[name])
    assert best == "schema-registry"
    assert max(score for name, score in scores.items() if name != best) < 50
