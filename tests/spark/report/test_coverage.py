"""Coverage: counts per partition, copies added up, empty logs named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark.inspection import Inspection, Limits
from spark.report.copies import Copies, LayoutCopy
from spark.report.coverage import counted
from spark.stages.decode import Counts, Decoded
from spark.stages.plan import InspectionPlan
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica


def counts(partition: int, first: int, last: int, **other: Any) -> Counts:
    plain = {"control_records": 0, "tombstones": 0, "restarts": 0, "data_records": last - first + 1}
    times = {"first_timestamp_ms": first, "last_timestamp_ms": last}
    replica = PartitionReplica("t", partition, other.pop("replica", ""))
    return Counts(**{**plain, **times, **other}, replica=replica, first_offset=first, last_offset=last)


def covered(
    *of_chunks: Counts,
    partitions: tuple[int, ...] = (0,),
    layout: str = "log-segment",
    copies: Copies | None = None,
) -> dict[str, Any]:
    files = [
        {
            "name": f"t-{number}/0.log",
            "kind": "segment",
            "layout": layout,
            "topic": "t",
            "partition": number,
            "cannot_tell": [],
        }
        for number in partitions
    ]
    manifest = Manifest(Path("results"), {}, {})
    decoded = {0: Decoded(counts=list(of_chunks))}
    return counted(Inspection([], Limits(), manifest, InspectionPlan(files), decoded), copies or {})


def test_splits_of_a_partition_are_added_up() -> None:
    report = covered(counts(0, 10, 19), counts(0, 20, 24))
    assert report["records_per_partition"] == {"t-0": 15}
    assert report["offsets_per_partition"] == {"t-0": [10, 24]}


def test_a_partition_whose_log_is_empty_is_named() -> None:
    report = covered(counts(0, 0, 4), partitions=(0, 1))
    assert report["records_per_partition"] == {"t-0": 5, "t-1": 0}
    assert "t-1" not in report["offsets_per_partition"]


def test_records_of_copies_count_once_and_those_of_other_logs_all() -> None:
    found = (
        counts(0, 0, 4, replica="dump"),
        counts(0, 0, 2),
        counts(0, 3, 9),
        counts(0, 0, 3, replica="other"),
    )
    names = [LayoutCopy(name, name, frozenset(), is_segment=not name) for name in ("", "dump")]
    copies = {("t", 0, copy.replica): names for copy in names}
    report = covered(*found, copies=copies)
    assert report["records_per_partition"] == {"t-0": 14}
    assert report["records"] == 14
    assert report["offsets_per_partition"] == {"t-0": [0, 9]}


def test_control_records_are_no_data_records() -> None:
    report = covered(counts(0, 0, 4, data_records=3, control_records=2))
    assert (report["records"], report["control_records"]) == (3, 2)


def test_records_without_a_time_give_no_time_span() -> None:
    report = covered(counts(0, 0, 4, first_timestamp_ms=None, last_timestamp_ms=None))
    assert report["first_timestamp_ms"] is None


def test_what_a_tool_left_out_is_not_claimed_to_be_read() -> None:
    assert covered(counts(0, 0, 4))["isolation"] == "read_uncommitted"
    assert covered(counts(0, 0, 4), layout="kcat-json")["isolation"] == "unknown"


def test_rows_of_values_alone_have_no_offsets() -> None:
    assert covered(counts(0, 0, 4))["has_offsets"]
    assert not covered(counts(0, 0, 4), layout="akhq-values")["has_offsets"]
