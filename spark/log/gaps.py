"""Gaps: ranges of offsets that no readable record covers, each with the cause that can be proven.

A gap is cut where its explanation may change: at damage, at batch headers, at segments, where the cleaned part ends.
The first cause that holds for a piece is its own: damage; a batch header that spans it (the cleaner keeps the range of
a batch it thins out); what the manifest of a capture says; the head that retention took; the cleaned part (above it
nothing may be missing); the border between two captures; what a text layout leaves out. What is left is unexplained.
A text dump proves less, see `text_gaps`: there a gap may also be of unknown cause. Behind its last record a capture that ended early lacks what the broker had.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection

import numpy as np
import pyarrow as pa

from spark.log import text_gaps
from spark.log._gap_evidence import GapLog, logs
from spark.log._ranges import Ranges, below, between, cut, edges_of, touches
from spark.tables import GAPS, Manifest, Part
from spark.tables.parquet import write_parts
from spark.tables.replica import PartitionReplica, replica_of
from spark.tables.store import ResultTables

UNEXPLAINED, UNKNOWN, LIKELY_COMPACTION = "unexplained", "unknown", "likely compaction"
MISSING = """
    SELECT topic, partition, replica, cause, sum(last_offset::HUGEINT - first_offset + 1) AS offsets
    FROM gaps GROUP BY ALL
"""
FILE_BITS = 44  # room for a position in a file of 16 TB
CAUSES = (
    ("damage", "the offsets are missing at unreadable bytes"),
    (
        "compaction",
        "a batch header covers these offsets: the log cleaner removed the records and kept the offset range",
    ),
    ("damage", "bytes in the same gap are unreadable, and their offsets are unknown"),
    (
        "retention",
        "deleted before the end of the capture: the broker's log then started at offset {log_start}",
    ),
    ("capture limit", "the capture did not request these offsets from the broker"),
    (
        "retention",
        "the log starts with a later segment: retention or DeleteRecords deleted the earlier segments",
    ),
    ("compaction", "the offsets are in the clean section of the log, from which the log cleaner has removed records"),
    KEYS_ONCE := (LIKELY_COMPACTION, "every earlier record has a key and every key occurs once, as after a compaction"),
    OF_A_COMPACTED_TOPIC := (LIKELY_COMPACTION, "the topic is compacted and every key of an earlier record occurs once"),
    (LIKELY_COMPACTION, "if the topic is compacted: every key of an earlier record occurs once, as after a compaction"),
    ("capture limit", "one file of the capture ends before these offsets and the next starts after them"),
    ("control", "control records have offsets, and this file format leaves them out"),
    (
        "aborted",
        "aborted records and control records have offsets, and a read_committed consumer leaves them out",
    ),
    (
        "capture limit",
        "the output contains records without the lines of their batches, so some lines were left out",
    ),
    (
        UNKNOWN,
        "possible causes are compaction, transactions, a filter or loss: the topic's settings (kafka-configs.sh --describe) or the "
        "log segments show which",
    ),
    (UNEXPLAINED, text_gaps.UNBROKEN_AROUND),
    (UNEXPLAINED, "the input shows no cause"),
)  # fmt: skip
UNPROVEN = frozenset({UNEXPLAINED, UNKNOWN, LIKELY_COMPACTION, "control", "aborted"})
ABSENT = ("known", "unknown", "likely")  # members of a count of missing offsets
ENDED_BY = {
    "limit": "it reached its limit of bytes",
    "cancelled": "it was cancelled",
    "paused": "it was paused",
    "broker-gone": "the broker did not respond",
    "topic-deleted": "the topic was deleted during the capture",
    "topic-recreated": "the topic was deleted and created again during the capture",
    "truncated": "the log became shorter during the capture, so the cluster lost records",
    "broker-error": "the broker returned an error",
}  # captures.stopped_by


def write_gaps(
    manifest: Manifest, first_repeat: dict[PartitionReplica, int], compacted: Collection[str] = ()
) -> list[Part]:
    """Find and write all gaps. `compacted`: topics that their service has compacted. Runs in a Spark task."""
    rows = [gap_rows(replica, log) for replica, log in logs(manifest, first_repeat, compacted)]
    return write_parts(manifest, {"gaps": pa.concat_tables([GAPS.schema.empty_table(), *rows])})


def unexplained(manifest: Manifest) -> dict[str, int]:
    """Missing offsets without a provable cause, by `<topic>-<partition>`; partitions without one are left out."""
    offsets: Counter[str] = Counter()
    for row in ResultTables.open(manifest).rows(MISSING):
        if row["cause"] == UNEXPLAINED:
            offsets[f"{row['topic']}-{row['partition']}"] += row["offsets"]
    return dict(sorted(offsets.items()))


def absent(manifest: Manifest) -> dict[str, dict[str, int]]:
    """Missing offsets by `<topic>-<partition>`: `known` whose cause is proven, `unknown` the others, of which `likely` are those
    that compaction likely removed; of the copy that explains most, where there are several. Partitions without a missing offset
    are left out."""
    copies: dict[PartitionReplica, Counter[str]] = defaultdict(Counter)
    for row in ResultTables.open(manifest).rows(MISSING):
        copies[replica_of(row)]["unknown" if row["cause"] in UNPROVEN else "known"] += row["offsets"]
        copies[replica_of(row)]["likely"] += row["offsets"] if row["cause"] == LIKELY_COMPACTION else 0
    partitions: dict[str, list[dict[str, int]]] = defaultdict(list)
    for (topic, partition, _), counts in sorted(copies.items()):
        partitions[f"{topic}-{partition}"].append({name: counts[name] for name in ABSENT})
    return {name: min(counts, key=lambda count: count["unknown"]) for name, counts in partitions.items()}


def gap_rows(replica: PartitionReplica, log: GapLog) -> pa.Table:
    gaps, follower = between(*log.runs)
    head = head_of(log)
    gaps = np.r_[head[0], gaps[0]], np.r_[head[1], gaps[1]]
    follower = np.r_[np.zeros(len(head[0]), np.int64), follower]
    pieces, origin = cut(gaps, edges(log))
    number = causes(log, gaps, follower, pieces, origin)
    types = GAPS.schema.types
    replica_columns = [
        pa.repeat(pa.scalar(value, type_), len(number)) for value, type_ in zip(replica, types, strict=False)
    ]
    log_start = log.capture.log_start if log.capture else None
    words = [[cause, proof.format(log_start=log_start)] for cause, proof in CAUSES]
    cause_columns = [pa.array(column).take(pa.array(number)) for column in zip(*words, strict=True)]
    inner = pa.table([*replica_columns, *map(pa.array, pieces), *cause_columns], schema=GAPS.schema)
    return pa.concat_tables([inner, tail(replica, log)])


def tail(replica: PartitionReplica, log: GapLog) -> pa.Table:
    """A row for the offsets that the broker had after the last requested one, if there are any."""
    capture = log.capture
    if capture is None or capture.high_watermark is None or not len(capture.served[1]):
        return GAPS.schema.empty_table()
    first = max(int(capture.served[1][-1]), int(log.runs[1].max())) + 1
    if first >= capture.high_watermark:
        return GAPS.schema.empty_table()
    proof = (
        f"the capture ended before it: {ENDED_BY.get(capture.stopped_by or '', 'it was asked for no more')}"
    )
    row = (*replica, first, capture.high_watermark - 1, "capture limit", proof)
    return GAPS.filled([dict(zip(GAPS.schema.names, row, strict=True))])


def head_of(log: GapLog) -> Ranges:
    """The offsets missing before the first record of a log folder, as one gap or none."""
    first = int(log.runs[0][0])
    is_folder = len(log.bases) > 0 and int(log.run_files[0]) in log.named_files
    many = 1 if is_folder and first > 0 else 0
    return np.zeros(many, np.int64), np.full(many, first - 1)


def edges(log: GapLog) -> np.ndarray:
    """Offsets at which the explanation of a gap may change."""
    dirty = [] if log.first_dirty is None else [log.first_dirty]
    captured = [] if log.capture is None else [*edges_of(log.capture.served), log.capture.log_start or 0]
    parts = [edges_of(log.damaged), edges_of(log.batches), log.bases, log.damaged_from, dirty, captured]
    return np.concatenate([np.asarray(offsets, np.int64) for offsets in parts])


def causes(log: GapLog, gaps: Ranges, follower: np.ndarray, pieces: Ranges, origin: np.ndarray) -> np.ndarray:
    """The number in CAUSES of each piece. What takes time to find out is asked only for what is still unexplained."""
    tests: tuple[Callable[[], np.ndarray], ...] = (
        lambda: touches(pieces, log.damaged),
        lambda: touches(pieces, log.batches),
        lambda: gaps_with_damage(log, gaps, follower)[origin],
        lambda: below(pieces, log.capture.log_start if log.capture else None),
        lambda: not_requested(log, pieces),
        lambda: before_the_log(log, pieces),
        lambda: cleaned(log, pieces),
        lambda: unique(log, pieces),
        lambda: text_gaps.cleaned(log, pieces) & log.is_proven_compacted,
        lambda: text_gaps.cleaned(log, pieces),
        lambda: between_captures(log, follower)[origin],
        lambda: left_out(log, "control", pieces) & text_gaps.may_be_markers(log, gaps)[origin],
        lambda: left_out(log, "aborted", pieces) & text_gaps.may_be_aborted(log, gaps)[origin],
        # a layout that shows batches shows none: only some lines of the print are in the input
        lambda: np.full(len(origin), log.is_print and not len(log.batches[0])),
        lambda: text_gaps.of_unknown_cause(log, gaps)[origin],
        lambda: text_gaps.may_be_cleaned(log, gaps)[origin],
    )
    numbers = np.full(len(origin), len(tests), np.int8)
    for number, test in enumerate(tests):
        is_open = numbers == len(tests)
        if not is_open.any():
            break
        numbers[is_open & test()] = number
    return numbers


def gaps_with_damage(log: GapLog, gaps: Ranges, follower: np.ndarray) -> np.ndarray:
    """Gaps in which bytes could not be read, whichever offsets these held."""
    is_damaged = touches(gaps, log.damaged)
    starts = np.sort(np.asarray(log.damaged_from, np.int64))
    is_damaged |= touches(gaps, (starts, starts))
    if not log.damaged_positions:
        return is_damaged
    spots = np.sort([spot(file, position) for file, position in log.damaged_positions])
    before = np.maximum(follower - 1, 0)
    ends, begins = (spot(log.run_files[row], log.run_positions[row]) for row in (before, follower))
    is_same = (log.run_files[before] == log.run_files[follower]) & (follower > 0)
    starts = np.where(is_same, ends, spot(log.run_files[follower], -1))
    is_damaged |= any_between(spots, starts, begins)
    is_damaged |= ~is_same & (follower > 0) & any_between(spots, ends, spot(log.run_files[before] + 1, -1))
    return is_damaged


def spot(file: np.ndarray | int, position: np.ndarray | int) -> np.ndarray:
    """A place in the input as one number."""
    return np.asarray((np.asarray(file, np.int64) << FILE_BITS) + position + 1)


def any_between(spots: np.ndarray, after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Whether one of the sorted spots lies between two places."""
    return np.asarray(
        np.searchsorted(spots, before, side="left") > np.searchsorted(spots, after, side="right")
    )


def not_requested(log: GapLog, pieces: Ranges) -> np.ndarray:
    """Offsets that no capture asked for."""
    if log.capture is None or not len(log.capture.served[0]):
        return np.zeros(len(pieces[0]), bool)
    return ~touches(pieces, log.capture.served)


def before_the_log(log: GapLog, pieces: Ranges) -> np.ndarray:
    """Offsets below the name of the first segment, which of a capture says nothing of the broker's log."""
    is_known = log.capture is not None and log.capture.log_start is not None
    return below(pieces, int(log.bases[0]) if len(log.bases) and not is_known else None)


def cleaned(log: GapLog, pieces: Ranges) -> np.ndarray:
    """Offsets below the first dirty one, of a log that is proven to be compacted; a text dump only tells it where a checkpoint came
    along."""
    is_told = log.dirty_from == "checkpoint" if log.is_text else is_first_dirty_proven(log)
    return below(pieces, log.first_dirty if is_told else None)


def is_first_dirty_proven(log: GapLog) -> bool:
    """Whether more than keys that all occur once says how far the cleaner came: such keys are no trace of it where nothing proves
    that it ever worked on the log."""
    return log.dirty_from != "keys" or log.is_proven_compacted


def unique(log: GapLog, pieces: Ranges) -> np.ndarray:
    """Where nothing proves that the cleaner came, its trace may still be there: keys that all occur once."""
    if log.first_dirty is not None:
        return below(pieces, None if log.is_text or is_first_dirty_proven(log) else log.first_dirty)
    if log.is_text or log.is_kept_whole or not len(pieces[0]):
        return np.zeros(len(pieces[0]), bool)
    return pieces[1] < log.unique_below()


def between_captures(log: GapLog, follower: np.ndarray) -> np.ndarray:
    """Gaps between two files of which one, at least, is no segment of a log folder."""
    ends, begins = log.run_files[np.maximum(follower - 1, 0)], log.run_files[follower]
    is_named = np.isin(ends, list(log.named_files)) & np.isin(begins, list(log.named_files))
    return (ends != begins) & ~is_named


def left_out(log: GapLog, lack: str, pieces: Ranges) -> np.ndarray:
    """Whether the layout leaves out what may have stood there."""
    return np.full(len(pieces[0]), lack in log.lacks)
