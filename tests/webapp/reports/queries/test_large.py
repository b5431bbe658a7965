"""Five million records: a window reads few row groups, the whole is counted in one pass."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.tables import TABLES, Manifest
from spark.tables.replica import PartitionReplica
from webapp.reports.queries.kinds import BY_BYTES
from webapp.reports.queries.marks import COLUMN, MARKS, read_window
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import AxisRange, whole_span
from webapp.reports.queries.timeline.lanes import BY_TYPE
from webapp.reports.results import open_results

RECORDS = 5_000_000
FILES = 4
CELL_LIMIT = 1000 // 6 * 9  # bins of 6 pixels and more, three lanes, three kinds
PLENTY_OF_SECONDS = (
    5  # far above what it takes (0.2 s on two idle cores), so that a busy machine fails nothing
)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    (folder / "lifelines").mkdir()
    names = []
    for part in range(FILES):
        names.append(f"lifelines/{part}.parquet")
        pq.write_table(
            _part(part), folder / names[-1], compression="zstd", compression_level=1, row_group_size=50_000
        )
    Manifest(folder, {"lifelines": names}, {"lifelines": RECORDS}).save()
    (folder / "report.json").write_text("{}")
    return folder


def _part(part: int) -> pa.Table:
    offsets = np.arange(part, RECORDS, FILES)
    count = len(offsets)

    def words(choices: list[str], numbers: np.ndarray) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int8)), pa.array(choices)).cast(
            pa.string()
        )

    nothing = np.zeros(count, dtype=np.int64)
    columns = {
        "topic": words(["journal"], nothing),
        "partition": pa.array(nothing.astype(np.int32)),
        "replica": words([""], nothing),
        "offset": pa.array(offsets),
        "timestamp_ms": pa.array(1_700_000_000_000 + offsets * 7),
        "key_hash_1": pa.array(offsets % 1_000_000),
        "key_hash_2": pa.array(nothing),
        "previous_offset": pa.array(offsets - 1_000_000),
        "superseded_by": pa.array(offsets + 1_000_000),
        "kind": words(["create", "update", "tombstone"], offsets % 3),
        "entry_type": words(["Artifact", "Content", "Group"], offsets % 7 % 3),
        "key_size_bytes": pa.array(nothing.astype(np.int32)),
        "value_size_bytes": pa.array((offsets % 4000).astype(np.int32)),
    }
    return pa.table(columns, schema=TABLES["lifelines"].schema)


@pytest.mark.long
@pytest.mark.slow
def test_the_whole_is_counted_and_never_shipped(large: Path) -> None:
    with open_results(large) as results:
        found = survey(results)
        place = found.replicas[0]
        whole = whole_span(found.facts[place], "offset")
        assert whole
        began = time.monotonic()
        window = read_window(PartitionTables(results, place, found), whole, "type")
        seconds = time.monotonic() - began
    assert (window.total, window.drawn) == (RECORDS, 0)
    assert len(window.buckets["lane"]) <= CELL_LIMIT
    assert window.is_replayed  # a plain topic: key and null value say all
    assert seconds < PLENTY_OF_SECONDS


@pytest.mark.slow
def test_a_window_of_points_reads_only_the_row_groups_it_needs(large: Path) -> None:
    laned = BY_TYPE.replace("{kinds}", BY_BYTES).replace("{column}", COLUMN["offset"])
    sql = "EXPLAIN ANALYZE " + MARKS.format(laned=laned)
    bounds = {"first": 2_000_000, "last": 2_040_000, "lanes": ["Artifact", "Content", "Group"]}
    with open_results(large) as results:
        plan = results.of(PartitionReplica("journal", 0)).rows(sql, bounds)[0]["explain_value"]
        window = read_window(
            PartitionTables(results, PartitionReplica("journal", 0), survey(results)),
            AxisRange("offset", 2_000_000, 2_040_000),
            "type",
        )
    scanned = re.search(r"Row Groups Scanned: (\d+) / (\d+)", plan)
    assert scanned, plan
    assert int(scanned[1]) <= 2 * FILES < int(scanned[2])
    assert (window.total, window.drawn, window.is_replayed) == (40_001, 0, True)
