"""Effects in the forms that detectors share."""

from __future__ import annotations

from spark.detectors._effects import MAX_EFFECTS, on_entities, on_partition, on_records
from spark.terms.findings import Effect


def test_a_row_without_a_partition_concerns_its_topic() -> None:
    assert on_partition("at_risk", "orders", None, "service") == [Effect("at_risk", "topic", "orders")]
    assert on_partition("stuck", "orders", 3, "brokers") == [
        Effect("stuck", "partition", "orders-3", whom="brokers")
    ]


def test_a_record_is_named_by_its_partition_and_offset() -> None:
    (effect,) = on_records("lost", {"topic": "orders", "partition": 0}, [12], "next_compaction", "consumers")
    assert effect == Effect("lost", "record", "orders-0/12", "next_compaction", "consumers")


def test_entities_count_once_unknown_ones_not_at_all_and_very_many_are_cut() -> None:
    assert [one.entity_id for one in on_entities("lost", "content", [48, 48, None, 61])] == ["48", "61"]
    assert len(on_entities("lost", "content", range(1000))) == MAX_EFFECTS
