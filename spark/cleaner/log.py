"""A partition's log as the cleaner's model works on it: arrays of batches, records and segments, in order of offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NO_HORIZON = np.iinfo(np.int64).min
NO_KEY = -1
DATA, COMMIT, ABORT, OTHER_CONTROL, EMPTY_CONTROL = range(5)
MARKERS = {"commit": COMMIT, "abort": ABORT}


class AbortedTxn(NamedTuple):
    """An entry of a .txnindex."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int = -1


class Columns:
    """Arrays of one length, a value for each row."""

    def take(self, rows: np.ndarray) -> Self:
        """Some of the rows."""
        return type(self)(**{name: column[rows] for name, column in vars(self).items()})


@dataclass(frozen=True)
class Batches(Columns):
    """One row per batch."""

    base_offset: np.ndarray
    last_offset: np.ndarray
    magic: np.ndarray
    producer_id: np.ndarray
    producer_epoch: np.ndarray
    is_transactional: np.ndarray
    control: np.ndarray  # DATA, COMMIT, ABORT, ...
    horizon_ms: np.ndarray  # NO_HORIZON: none
    size_bytes: np.ndarray
    segment: np.ndarray  # row of Segments

    def __len__(self) -> int:
        return len(self.base_offset)


@dataclass(frozen=True)
class Records(Columns):
    """One row per record. `key` numbers the distinct keys; NO_KEY where there is none."""

    offset: np.ndarray
    batch: np.ndarray  # row of Batches
    key: np.ndarray
    is_null: np.ndarray


@dataclass(frozen=True)
class Segments(Columns):
    """One row per segment; the last is the active one."""

    base_offset: np.ndarray
    size_bytes: np.ndarray
    index_bytes: np.ndarray
    modified_ms: np.ndarray

    def holding(self, offset: int) -> int:
        """The segment in which an offset lies, or would lie."""
        return max(0, int(np.searchsorted(self.base_offset, offset, side="right")) - 1)

    def __len__(self) -> int:
        return len(self.base_offset)


@dataclass(frozen=True)
class Log:
    """A partition's log."""

    batches: Batches
    records: Records
    segments: Segments
    aborted: tuple[AbortedTxn, ...] = ()

    @property
    def end_offset(self) -> int:
        return (
            int(self.batches.last_offset[-1]) + 1 if len(self.batches) else int(self.segments.base_offset[-1])
        )


def log_of(
    batches: pa.Table, records: pa.Table, segments: pa.Table, aborted: tuple[AbortedTxn, ...] = ()
) -> Log:
    """The log of one partition's copy from rows of `batches`, `records`, `files` (kind segment) and `aborted_txns`.

    A segment's file counts as changed when its newest record was written: files lose their times in an archive.
    """
    segments = segments.sort_by("base_offset")
    files = segments.column("file").to_numpy()
    rank = np.zeros(int(files.max(initial=0)) + 1, np.int64)
    rank[files] = np.arange(len(files))
    batches = batches.append_column("segment", pa.array(rank[batches.column("file").to_numpy()]))
    batches = batches.sort_by([("segment", "ascending"), ("position", "ascending")])
    positions = (batches.column("segment").to_numpy() << 44) + batches.column("position").to_numpy()
    records = records.sort_by("offset")
    of_records = (rank[records.column("file").to_numpy()] << 44) + records.column("batch_position").to_numpy()
    owner = np.searchsorted(positions, of_records)
    newest = np.full(len(files), 0, np.int64)
    written = pc.fill_null(batches.column("max_timestamp_ms"), 0).to_numpy()
    np.maximum.at(newest, batches.column("segment").to_numpy(), written)
    return Log(
        batches_of(batches, records, owner),
        Records(
            records.column("offset").to_numpy(),
            owner,
            keys_of(records),
            records.column("value_is_null").to_numpy(),
        ),
        Segments(
            segments.column("base_offset").to_numpy(),
            segments.column("size_bytes").to_numpy(),
            np.zeros(len(files), np.int64),
            newest,
        ),
        aborted,
    )


def batches_of(batches: pa.Table, records: pa.Table, owner: np.ndarray) -> Batches:
    """`owner`: the batch of each record. Whether a control batch commits or aborts is in its record."""
    control = np.where(batches.column("is_control").to_numpy(), EMPTY_CONTROL, DATA)
    types = records.column("control_type")
    markers = np.select(
        [pc.fill_null(pc.equal(types, name), False).to_numpy() for name in MARKERS],
        list(MARKERS.values()),
        OTHER_CONTROL,
    )
    is_marker = pc.is_valid(types).to_numpy()
    control[owner[is_marker]] = markers[is_marker]
    names = ("base_offset", "last_offset", "magic", "producer_id", "producer_epoch", "is_transactional")
    return Batches(
        **{name: batches.column(name).to_numpy() for name in names},
        control=control,
        horizon_ms=pc.fill_null(batches.column("delete_horizon_ms"), NO_HORIZON).to_numpy(),
        size_bytes=batches.column("size_bytes").to_numpy().astype(np.int64),
        segment=batches.column("segment").to_numpy(),
    )


def keys_of(records: pa.Table) -> np.ndarray:
    """A number for each record's key, from the two halves of its hash."""
    first, second = (records.column(name).to_numpy() for name in ("key_hash_1", "key_hash_2"))
    order = np.argsort(first, kind="stable")
    changed = np.r_[True, np.diff(first[order]) != 0]
    if ((np.diff(second[order]) != 0) & ~changed[1:]).any():  # two keys share the first half
        order = np.lexsort((second, first))
        changed = np.r_[True, (np.diff(first[order]) != 0) | (np.diff(second[order]) != 0)]
    number = np.empty(len(first), np.int64)
    number[order] = np.cumsum(changed[: len(first)]) - 1
    number[records.column("key_is_null").to_numpy()] = NO_KEY
    return number
