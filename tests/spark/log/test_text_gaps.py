"""Missing offsets of text dumps: what evidence makes a cause of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.log.cleanings import NOTHING_SHOWN
from spark.log.gaps import absent, write_gaps
from spark.log.text_gaps import UNBROKEN_AROUND
from spark.tables import TABLES, Manifest
from spark.tables.parquet import PartWriter

PLACE = {"topic": "t", "partition": 0, "replica": "", "file": 0, "position": 0}
DUMP = [{"file": 0, "kind": "export", "layout": "kcat-json"}]
REPEAT = {("t", 0, ""): 2}
WIDE = [(0, 399), (600, 999)]


def manifest_of(folder: Path, *ranges: tuple[int, int], **cleaning: Any) -> Manifest:
    """A dump of these offsets."""
    rows = {
        "files": DUMP,
        "runs": [{"first_offset": first, "last_offset": last} for first, last in ranges],
        "cleanings": [{"compacted": "no", "why": NOTHING_SHOWN, **cleaning}],
    }
    writer = PartWriter(folder, "0")
    for name, table in rows.items():
        writer.write(name, pa.Table.from_pylist([PLACE | row for row in table], schema=TABLES[name].schema))
    return Manifest(folder, {}, {}).with_parts(writer.finish())


def gaps(
    manifest: Manifest, first_repeat: Any = None, compacted: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    parts = write_gaps(manifest, first_repeat or {}, compacted)
    return [row for part in parts for row in pq.read_table(manifest.folder / part.name).to_pylist()]


def causes(manifest: Manifest, *args: Any, **named: Any) -> list[str]:
    return [row["cause"] for row in gaps(manifest, *args, **named)]


def test_a_wide_hole_between_records_of_different_keys_is_not_explained_away(tmp_path: Path) -> None:
    (row,) = gaps(manifest_of(tmp_path, *WIDE))
    assert (row["first_offset"], row["last_offset"], row["cause"]) == (400, 599, "unexplained")
    assert row["proof"] == UNBROKEN_AROUND


@pytest.mark.parametrize(("records", "cause"), [(10, "unexplained"), (9, "unknown")])
def test_a_hole_between_few_records_may_be_of_any_cause(tmp_path: Path, records: int, cause: str) -> None:
    assert causes(manifest_of(tmp_path, (0, records - 1), (600, 999))) == [cause]
    (tmp_path / "other").mkdir()
    assert causes(manifest_of(tmp_path / "other", (0, 99), (600, 600 + records - 1))) == [cause]


@pytest.mark.parametrize(("holes", "cause"), [(3, "unexplained"), (4, "unknown")])
def test_many_holes_are_what_a_cleaner_or_a_filter_leaves(tmp_path: Path, holes: int, cause: str) -> None:
    ranges = [(100 * number, 100 * number + 50) for number in range(holes + 1)]
    assert causes(manifest_of(tmp_path, *ranges)) == [cause] * holes


@pytest.mark.parametrize(("missing", "cause"), [(10, "unknown"), (11, "unexplained")])
def test_a_narrow_hole_may_be_of_any_cause(tmp_path: Path, missing: int, cause: str) -> None:
    assert causes(manifest_of(tmp_path, (0, 399), (400 + missing, 999))) == [cause]


@pytest.mark.parametrize("certainty", ["proven", "likely"])
def test_a_compacted_topic_may_lack_older_versions_of_keys_and_the_dump_does_not_prove_it(
    tmp_path: Path, certainty: str
) -> None:
    manifest = manifest_of(tmp_path, *WIDE, compacted=certainty, first_dirty_offset=900, dirty_from="keys")
    assert causes(manifest) == ["likely compaction"]
    written = manifest.with_parts(write_gaps(manifest, {}))
    assert absent(written) == {"t-0": {"known": 0, "unknown": 200, "likely": 200}}


@pytest.mark.parametrize(
    ("certainty", "proof"),
    [
        ("proven", "the topic is compacted and every key of an earlier record occurs once"),
        (
            "likely",
            "if the topic is compacted: every key of an earlier record occurs once, as after a compaction",
        ),
    ],
)
def test_the_evidence_says_whether_the_compaction_is_proven(
    tmp_path: Path, certainty: str, proof: str
) -> None:
    manifest = manifest_of(tmp_path, *WIDE, compacted=certainty, first_dirty_offset=900, dirty_from="keys")
    assert [row["proof"] for row in gaps(manifest)] == [proof]


def test_a_checkpoint_proves_what_the_cleaner_has_done(tmp_path: Path) -> None:
    told = {"compacted": "proven", "first_dirty_offset": 900, "dirty_from": "checkpoint"}
    manifest = manifest_of(tmp_path, *WIDE, **told)
    assert absent(manifest.with_parts(write_gaps(manifest, {}))) == {
        "t-0": {"known": 200, "unknown": 0, "likely": 0}
    }


def test_a_journal_that_its_service_has_compacted_may_lack_older_versions_of_keys(tmp_path: Path) -> None:
    assert causes(manifest_of(tmp_path, *WIDE), compacted=("t",)) == ["likely compaction"]


def test_where_a_key_stands_twice_the_cleaner_was_not_there_yet(tmp_path: Path) -> None:
    assert causes(manifest_of(tmp_path, *WIDE), REPEAT, compacted=("t",)) == ["unexplained"]


def test_settings_that_exclude_compaction_leave_no_cause(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path, *WIDE, why="the topic's cleanup.policy was delete")
    (row,) = gaps(manifest, compacted=("t",))
    assert (row["cause"], row["proof"]) == ("unexplained", "the input shows no cause")


@pytest.mark.parametrize(("missing", "cause"), [(10, "control"), (11, "unexplained")])
def test_markers_of_transactions_take_few_offsets(tmp_path: Path, missing: int, cause: str) -> None:
    assert causes(manifest_of(tmp_path, (0, 399), (400 + missing, 999)), REPEAT) == [cause]


def test_an_aborted_transaction_is_a_cause_where_other_gaps_show_transactions(tmp_path: Path) -> None:
    ranges = [(0, 399), (600, 799), (801, 999)]
    assert causes(manifest_of(tmp_path, *ranges), REPEAT) == ["aborted", "control"]


def test_with_different_keys_transactions_and_compaction_cannot_be_told_apart(tmp_path: Path) -> None:
    ranges = [(0, 399), (600, 799), (801, 999)]
    assert causes(manifest_of(tmp_path, *ranges)) == ["unknown", "unknown"]


def test_offsets_of_unknown_cause_are_counted_so(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path, (0, 399), (405, 999))
    assert absent(manifest.with_parts(write_gaps(manifest, {}))) == {
        "t-0": {"known": 0, "unknown": 5, "likely": 0}
    }
