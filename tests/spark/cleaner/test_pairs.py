"""Real folders before and after cleaning: the model of the first gives the second, record by record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from spark.cleaner.clean import Settings, clean
from spark.cleaner.log import NO_HORIZON, AbortedTxn, Log, log_of
from spark.sources import InputFile, companion, log_segment
from spark.stages.decode import with_hashes
from spark.tables import TABLES
from tests.spark.cleaner.stories import behaviour_of

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
BROKERS = CORPUS / "brokers"

pytestmark = pytest.mark.skipif(
    not BROKERS.is_dir(), reason="the corpus of real journals is not beside the project"
)


def read(folder: Path) -> Log:
    """The log of a partition's folder."""
    found: dict[str, list[pa.Table]] = {"batches": [], "records": [], "aborted_txns": []}
    files = sorted(path for path in folder.iterdir() if path.suffix in {".log", ".txnindex"})
    for number, path in enumerate(files):
        source = log_segment.source if path.suffix == ".log" else companion.source
        file = InputFile(path.name, str(path), path.stat().st_size)
        for split in source.split(file, number, "t", 0, ""):
            for chunk in source.read(split):
                parts = {"batches": chunk.batches, "records": chunk.records, **chunk.others}
                for name in found.keys() & parts.keys():
                    if parts[name] is not None:
                        found[name].append(parts[name])
    segments = pa.Table.from_pylist(
        [
            {"file": number, "base_offset": int(path.stem), "size_bytes": path.stat().st_size}
            for number, path in enumerate(files)
            if path.suffix == ".log"
        ],
        schema=TABLES["files"].schema,
    )
    aborted = pa.concat_tables(found["aborted_txns"]).to_pylist() if found["aborted_txns"] else []
    entries = tuple(
        AbortedTxn(row["producer_id"], row["first_offset"], row["last_offset"], row["last_stable_offset"])
        for row in aborted
    )
    records = with_hashes(pa.concat_tables(found["records"]).combine_chunks())
    return log_of(pa.concat_tables(found["batches"]), records, segments, entries)


def batches(log: Log) -> list[tuple[int, int, int]]:
    """Base offset, last offset and number of records of each batch."""
    counts = np.bincount(log.records.batch, minlength=len(log.batches)).tolist()
    return list(zip(log.batches.base_offset.tolist(), log.batches.last_offset.tolist(), counts, strict=True))


def assert_same(model: Log, real: Log) -> None:
    assert model.records.offset.tolist() == real.records.offset.tolist()
    assert batches(model) == batches(real)
    assert sorted(model.aborted) == sorted(real.aborted)


@pytest.mark.parametrize(("version", "end"), [("2.8.2", 142), ("3.9.1", 165)])
def test_a_first_cleaning(version: str, end: int) -> None:
    case = BROKERS / f"compaction-{version}"
    settings = Settings(behaviour_of(version), delete_retention_ms=3000)
    before, after = read(case / "before/profiles-0"), read(case / "after-1/profiles-0")
    cleaned = clean(before, settings, 0, 0, end)
    assert_same(cleaned.log, after)
    assert cleaned.first_dirty_offset == end
    has_horizon = (cleaned.log.batches.horizon_ms != NO_HORIZON).tolist()
    assert has_horizon == (after.batches.horizon_ms != NO_HORIZON).tolist()
    assert any(has_horizon) == (version == "3.9.1")


def test_a_cleaning_of_formats_0_and_1() -> None:
    case = BROKERS / "compaction-v0-v1-0.10.2.2"
    cleaned = clean(read(case / "before/settings-0"), Settings(behaviour_of("0.10.2.2")), 0, 0, 172)
    after = read(case / "after/settings-0")
    assert cleaned.log.records.offset.tolist() == after.records.offset.tolist()
    assert cleaned.log.records.is_null.tolist() == after.records.is_null.tolist()
    assert cleaned.first_dirty_offset == 172


@pytest.mark.parametrize("version", ["2.8.1", "2.8.2"])
@pytest.mark.parametrize(
    ("case", "retention_ms"), [("abort-index-lost-2.8.1", 600_000), ("abort-marker-lost-2.8.1", 0)]
)
def test_one_folder_cleaned_on_both_sides_of_a_fix(case: str, retention_ms: int, version: str) -> None:
    """KAFKA-13727 on live brokers: a map of two keys, passes until the closed segment is clean."""
    settings = Settings(behaviour_of(version), delete_retention_ms=retention_ms, usable_slots=2)
    log, dirty = read(BROKERS / case / "before/ledger-0"), 0
    while dirty < 8:
        cleaned = clean(log, settings, 0, dirty, 8)
        log, dirty = cleaned.log, cleaned.first_dirty_offset
    assert_same(log, read(BROKERS / case / f"after-{version}/ledger-0"))


@pytest.mark.parametrize("pair", ["pair-1", "pair-2", "pair-3"])
def test_group_offsets_before_and_after(pair: str) -> None:
    """A file cut out of `__consumer_offsets`, cleaned up to its end."""
    (before,) = (CORPUS / "kafka/compaction-pairs" / pair / "before").iterdir()
    (after,) = (CORPUS / "kafka/compaction-pairs" / pair / "after").iterdir()
    log, real = read(before), read(after)
    cleaned = clean(log, Settings(), 0, 0, log.end_offset)
    assert cleaned.log.records.offset.tolist() == real.records.offset.tolist()
