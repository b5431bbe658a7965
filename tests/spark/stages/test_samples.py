"""Samples: the first records of a topic's splits, fewer where an input has many topics."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.stages import samples as stage
from spark.stages.plan import plan_inputs
from spark.stages.samples import samples
from tests.generator.segment import Record, marker, segment, segment_name
from tests.spark.log_folders import inputs, write

RECORDS = [Record(b"key-%d" % number, b"value") for number in range(60)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two topics, one of two partitions; the first record of each is a marker."""
    content = marker("commit", 0, 7, 0) + segment(RECORDS, 1, records_per_batch=20)
    return write(tmp_path, {f"{name}/{segment_name(0)}": content for name in ("a-0", "a-1", "b-0")})


@pytest.mark.parametrize(("many_topics", "of_a", "of_b"), [(2, 120, 60), (1, 40, 20)])
def test_each_split_gives_its_first_data_records(
    many_topics: int, of_a: int, of_b: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "MANY_TOPICS", many_topics)
    tables = samples(plan_inputs(inputs(folder), {}).splits)
    assert {topic: rows.num_rows for topic, rows in tables.items()} == {"a": of_a, "b": of_b}
    assert tables["b"].column("offset").to_pylist() == list(range(1, of_b + 1))
    assert tables["b"].column("control_type").null_count == of_b
