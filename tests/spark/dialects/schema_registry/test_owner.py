"""Whose journal it is, and who wrote it."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from spark.dialects.schema_registry import dialect
from spark.dialects.schema_registry.owner import family, owner
from tests.spark.dialects.schema_registry.journals import (
    Parts,
    config,
    delete_subject,
    entries_of,
    key,
    real_cases,
    real_entries,
    schema,
    software_of,
    tombstone,
)

SEQUENCED = schema(in_key={"seq": 1, "node": 2})
SORTED = schema(text='{"fields":[],"name":"Order","type":"record"}')
KARAPACE = re.compile(r"Karapace \d+\.\d+(?:\.\d+)?")
NOOP: Parts = (key("NOOP"), None)


@pytest.mark.parametrize(
    ("records", "profile"),
    [
        ([schema()], "confluent"),
        ([SEQUENCED, schema()], "redpanda"),
        ([(key("CONFIG", seq=0, node=0), b'{"compatibilityLevel":"FULL"}')], "redpanda"),
        ([SORTED, schema()], "karapace"),
        ([tombstone(empty=True)], "karapace"),
        ([delete_subject(version=-1)], "karapace"),
        ([tombstone(empty=True), NOOP], "karapace"),
        ([tombstone(empty=True), NOOP, schema(), NOOP], "confluent"),
        ([NOOP, NOOP], "confluent"),
        ([SEQUENCED, config(None)], "confluent"),
        ([(b'{"subject":"s","version":1,"magic":0,"keytype":"SCHEMA"}', None), SORTED], "karapace"),
        ([SORTED, (b'{"subject":"s","version":1,"magic":0,"keytype":"SCHEMA"}', None)], "confluent"),
        ([SORTED, schema(offset=3, ts=1)], "confluent"),
        ([NOOP, SEQUENCED], "redpanda"),
    ],
)
def test_the_last_registry_that_left_a_mark_owns_the_journal(records: list[Parts], profile: str) -> None:
    assert owner(entries_of(*records)) == profile


def test_nothing_at_all_is_confluents() -> None:
    assert owner(pa.table({})) == "confluent"


def test_the_family_names_every_writer_in_order() -> None:
    assert family(entries_of(tombstone(empty=True), NOOP)) == "Karapace, then Confluent Schema Registry"
    assert family(entries_of(SEQUENCED)) == "Redpanda's schema registry (node 2)"
    assert family(entries_of(schema())) == "Confluent Schema Registry or Karapace"
    old = b'{"subject":"s","version":1,"magic":0,"keytype":"SCHEMA"}'
    assert (
        family(entries_of((old, None))) == "Confluent Schema Registry (keys as versions up to 5.2 write them)"
    )
    assert family(entries_of((b"junk", None))) is None
    assert family(pa.table({})) is None


@pytest.mark.parametrize("case", real_cases())
def test_real_journals_belong_to_the_registry_that_wrote_last(case: str) -> None:
    """Cases are named for the registry; which version of it wrote the journal, their `case.json` says."""
    entries = real_entries(case)
    profiles = {profile.id for profile in dialect.profiles}
    named = case.split("-")[0]
    assert owner(entries) in ({named} & profiles or profiles)
    version = KARAPACE.match(software_of(case))
    if named == "karapace" and version:
        assert (family(entries) or "").startswith(version[0])
