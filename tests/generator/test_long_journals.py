"""Long journals are legal: sound batches, and a report without an alarm."""

from __future__ import annotations

import json

import pytest
from aiokafka.record import MemoryRecords

from tests.generator import long_apicurio, long_log, long_schemas
from tests.spark.whole_pipeline import report_of

ENTRIES = 4_000
JOURNALS = {"apicurio": long_apicurio.journal, **long_schemas.JOURNALS}


@pytest.fixture
def few_alive(monkeypatch):
    """So few subjects and artifacts at once that a short journal deletes some."""
    monkeypatch.setattr(long_apicurio, "ALIVE", 40)
    monkeypatch.setattr(long_schemas, "ALIVE", 40)


@pytest.mark.parametrize("writer", JOURNALS)
def test_a_long_journal_has_as_many_records_as_asked_for_in_sound_batches(tmp_path, writer, few_alive):
    paths = long_log.write_segments(tmp_path, "journal", JOURNALS[writer](ENTRIES))
    offsets = []
    for path in paths:
        batches = MemoryRecords(path.read_bytes())
        while batches.has_next():
            batch = batches.next_batch()
            assert batch.validate_crc()
            offsets += [record.offset for record in batch]
    assert offsets == list(range(ENTRIES))


@pytest.mark.parametrize(
    ("writer", "said"),
    [
        # Apicurio writes a null for every type of rule of a deleted artifact, whether it had one or not.
        ("apicurio", {("info", "tombstone-without-value")}),
        ("confluent", set()),
        ("redpanda", {("info", "write-race")}),
    ],
)
def test_a_long_journal_is_healthy(tmp_path, writer, said, few_alive):
    long_log.write_segments(tmp_path / "in", "journal", JOURNALS[writer](ENTRIES))
    report = report_of(tmp_path / "in", tmp_path / "out")
    assert {(finding["severity"], finding["detector"]) for finding in report["findings"]} == said
    assert report["verdict"]["level"] == "healthy"


def test_redpandas_keys_aim_at_their_own_offset_but_for_lost_races_and_deletes(few_alive):
    records = list(long_schemas.journal(ENTRIES, "redpanda"))
    seqs = [json.loads(key)["seq"] for key, _ in records]
    behind = [
        (offset, seq)
        for offset, (seq, (_, value)) in enumerate(zip(seqs, records, strict=True))
        if value is not None and seq != offset
    ]
    assert behind
    assert all(offset - seq == 1 for offset, seq in behind)


def test_a_hard_delete_removes_the_versions_of_a_subject(few_alive):
    records = list(long_schemas.journal(ENTRIES, "confluent"))
    last = dict(records)
    gone = b'{"keytype":"SCHEMA","subject":"team-00.event-00000000-value","version":1,"magic":1}'
    assert gone in last
    assert last[gone] is None
