"""Align: both sides' records of a range of offsets -> runs of offsets with the same answer.

A task reads its range of both sides, joins hashes of the content by offset in DuckDB and folds the answers into
runs with numpy. What a side's layout cannot tell is no difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from spark.compare.sides import CopyPair
from spark.compare.tables import ComparedTables, aborted, copy_views
from spark.runtime.tasks import run_tasks
from spark.tables.store import ResultTables
from spark.tables.subset import bundled

if TYPE_CHECKING:
    from pyspark import SparkContext

KINDS = ("equal", "damaged", "different", "left", "right")  # the first wins where an offset is there twice
FIELDS = ("key", "value", "headers", "timestamp", "control_type", "producer")
ROWS_PER_TASK = 500_000  # of the larger side: some 100 MB of hashes
RUNS_PER_TASK = 2_000  # more are folded into mixed runs
EXAMPLES = 20  # offsets of each kind


@dataclass
class OffsetRun:
    """Offsets, one after the other, with the same answer; `mixed` where there were too many to list."""

    kind: str
    first_offset: int
    last_offset: int
    records: int
    fields: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def takes(self, after: OffsetRun) -> bool:
        """Go on with the next run where it says the same."""
        if after.kind != self.kind or self.kind == "mixed":
            return False
        self.last_offset, self.records = after.last_offset, self.records + after.records
        self.fields |= after.fields
        return True


@dataclass
class Aligned:
    """What a pair's offsets say. `inside` counts only the offsets that both copies could hold."""

    runs: list[OffsetRun] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    inside: Counter[str] = field(default_factory=Counter)
    differing_fields: Counter[str] = field(default_factory=Counter)
    some: dict[str, list[int]] = field(default_factory=dict)
    first_different: int | None = None
    last_different: int | None = None

    def add(self, other: Aligned) -> None:
        """Take in the next range of offsets."""
        for run in other.runs:
            if not (self.runs and self.runs[-1].takes(run)):
                self.runs.append(run)
        self.counts += other.counts
        self.inside += other.inside
        self.differing_fields += other.differing_fields
        for kind, offsets in other.some.items():
            self.some[kind] = [*self.some.get(kind, []), *offsets][:EXAMPLES]
        if other.first_different is not None:
            self.first_different = (
                other.first_different if self.first_different is None else self.first_different
            )
            self.last_different = other.last_different


@dataclass(frozen=True)
class Slice:
    """A range of offsets of one pair: what one task, or a part of one, reads."""

    number: int
    pair: CopyPair
    start: int
    end: int
    records: int


def align_pairs(context: SparkContext, both: ComparedTables, pairs: list[CopyPair]) -> list[Aligned]:
    """One answer per pair, in order."""
    slices = [offset_range for number, pair in enumerate(pairs) for offset_range in cut(both, number, pair)]
    groups = bundled(slices, lambda offset_range: offset_range.records, ROWS_PER_TASK)
    answers = run_tasks(context, partial(align_slices, both), groups)
    results = [Aligned() for _ in pairs]
    for group, of_group in zip(groups, answers, strict=True):
        for offset_range, answer in zip(group, of_group, strict=True):
            results[offset_range.number].add(answer)
    return results


def cut(both: ComparedTables, number: int, pair: CopyPair) -> list[Slice]:
    """Ranges with about as many records each; the last is open."""
    side, larger = max((("left", pair.left), ("right", pair.right)), key=lambda entry: entry[1].records)
    count = -(-larger.records // ROWS_PER_TASK)
    inner: list[int] = []
    if count > 1:
        shares = ", ".join(f"{step / count}" for step in range(1, count))
        query = f'SELECT approx_quantile("offset", [{shares}]) AS starts FROM copy_records'
        with both.open() as tables:
            copy = tables.restricted(copy_views("copy", side, larger.parameters(side)))
            inner = sorted(set(map(int, copy.rows(query)[0]["starts"])))
    starts = [-(2**63), *inner]
    ends = [*(start - 1 for start in inner), 2**63 - 1]
    return [
        Slice(number, pair, *ends_of, larger.records // count) for ends_of in zip(starts, ends, strict=True)
    ]


def align_slices(both: ComparedTables, slices: list[Slice]) -> list[Aligned]:
    """The answers for some ranges. Runs in a Spark task."""
    with both.open() as tables:
        return [align_slice(tables, offset_range) for offset_range in slices]


def align_slice(tables: ResultTables, offset_range: Slice) -> Aligned:
    parameters = offset_range.pair.parameters
    views = copy_views("left_copy", "left", parameters) | copy_views("right_copy", "right", parameters)
    copies = tables.restricted(views)
    columns = copies.columns(
        question(offset_range.pair), {"start": offset_range.start, "end": offset_range.end}
    )
    offsets, kinds, fields = (np.asarray(columns[name]) for name in ("found_offset", "kind", "fields"))
    first = np.ones(len(offsets), dtype=bool)
    first[1:] = offsets[1:] != offsets[:-1]
    return folded(offsets[first], kinds[first], fields[first], offset_range.pair.overlap)


def question(pair: CopyPair) -> str:
    """SQL over `left_copy_` and `right_copy_` tables: offset, kind and differing fields (a bit each) of every record of both sides."""
    fields = differing(pair)
    return f"""
        WITH here AS ({hashes("left_copy", pair.right.lacks)}), there AS ({hashes("right_copy", pair.left.lacks)})
        SELECT coalesce(here."offset", there."offset") AS found_offset,
            CASE WHEN there."offset" IS NULL THEN 3 WHEN here."offset" IS NULL THEN 4 WHEN {fields} = 0 THEN 0
                WHEN here.is_damaged OR there.is_damaged THEN 1 ELSE 2 END::TINYINT AS kind,
            CASE WHEN here."offset" IS NULL OR there."offset" IS NULL THEN 0 ELSE {fields} END::TINYINT AS fields
        FROM here FULL JOIN there ON here."offset" = there."offset"
        WHERE NOT (here."offset" IS NULL AND there.is_hidden) AND NOT (there."offset" IS NULL AND here.is_hidden)
        ORDER BY found_offset, kind
    """


def hashes(role: str, others_lacks: frozenset[str]) -> str:
    """SQL: the records of a copy by hashes of their content. `is_hidden`: the other side's tool would not have shown it, so that
    its absence there says nothing."""
    return f"""
        SELECT "offset", key_hash_1, key_hash_2, key_is_null, value_is_null, hash(coalesce(value, ''::BLOB)) AS value_hash,
            value_size_bytes, CASE WHEN headers IS NOT NULL THEN hash(headers) END AS headers_hash, timestamp_ms,
            control_type, producer_id, producer_epoch, sequence,
            (file, batch_position) IN (SELECT (file, position) FROM {role}_batches WHERE NOT crc_ok) AS is_damaged,
            ({hidden(role, others_lacks)}) AS is_hidden
        FROM {role}_records WHERE "offset" BETWEEN $start AND $end
    """


def hidden(role: str, others_lacks: frozenset[str]) -> str:
    """Condition: a record that a tool of the other side's kind leaves out."""
    reasons = ["control_type IS NOT NULL"] if "control" in others_lacks else []
    if "aborted" in others_lacks:
        offsets = aborted(role, "outcome = 'aborted'")
        reasons.append(f'"offset" IN ({offsets})')
    return " OR ".join(reasons) or "false"


def differing(pair: CopyPair) -> str:
    """SQL: a bit for each field that both sides tell and tell differently."""
    nulls = pair.can_tell("null-or-empty")
    null_key = " OR here.key_is_null <> there.key_is_null" if nulls else ""
    null_value = " OR here.value_is_null <> there.value_is_null" if nulls else ""
    same_control = "here.control_type IS DISTINCT FROM there.control_type"
    conditions = (
        f"here.key_hash_1 <> there.key_hash_1 OR here.key_hash_2 <> there.key_hash_2{null_key}",
        f"here.value_hash <> there.value_hash OR here.value_size_bytes <> there.value_size_bytes{null_value}",
        "here.headers_hash <> there.headers_hash",
        "here.timestamp_ms <> there.timestamp_ms",
        same_control if pair.can_tell("control") else "false",
        "here.producer_id <> there.producer_id OR here.producer_epoch <> there.producer_epoch"
        " OR here.sequence <> there.sequence",
    )
    bits = (f"CASE WHEN {test} THEN {1 << bit} ELSE 0 END" for bit, test in enumerate(conditions))
    return f"({' + '.join(bits)})"


def folded(offsets: Any, kinds: Any, fields: Any, overlap: tuple[int, int]) -> Aligned:
    """Runs, counts and first examples of offsets in ascending order."""
    aligned = Aligned(runs=runs(offsets, kinds, fields), counts=counted(kinds))
    aligned.inside = counted(kinds[(offsets >= overlap[0]) & (offsets <= overlap[1])])
    for number, kind in enumerate(KINDS[1:], 1):
        if aligned.counts[kind]:
            aligned.some[kind] = offsets[kinds == number][:EXAMPLES].tolist()
    different = offsets[kinds == KINDS.index("different")]
    if len(different):
        aligned.first_different, aligned.last_different = int(different[0]), int(different[-1])
    for bit, name in enumerate(FIELDS):
        if count := int(np.count_nonzero(fields & (1 << bit))):
            aligned.differing_fields[name] = count
    return aligned


def counted(kinds: Any) -> Counter[str]:
    counts = np.bincount(kinds, minlength=len(KINDS)).tolist()
    return Counter({name: count for name, count in zip(KINDS, counts, strict=True) if count})


def runs(offsets: Any, kinds: Any, fields: Any) -> list[OffsetRun]:
    """Neighbours of the same kind as one; offsets that neither side holds part nothing."""
    if not len(offsets):
        return []
    starts = np.flatnonzero(np.concatenate(([True], kinds[1:] != kinds[:-1])))
    if len(starts) > RUNS_PER_TASK:
        starts = starts[np.linspace(0, len(starts), RUNS_PER_TASK, endpoint=False).astype(np.int64)]
    ends = np.append(starts[1:], len(offsets))
    counts = np.stack([np.add.reduceat(kinds == kind, starts, dtype=np.int64) for kind in range(len(KINDS))])
    field_bits = np.bitwise_or.reduceat(fields, starts)
    return [
        _run(int(offsets[start]), int(offsets[end - 1]), counts[:, number], int(field_bits[number]))
        for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
    ]


def _run(first: int, last: int, counts: Any, fields: int) -> OffsetRun:
    present = {KINDS[kind]: int(counts[kind]) for kind in np.flatnonzero(counts).tolist()}
    kind = next(iter(present)) if len(present) == 1 else "mixed"
    return OffsetRun(kind, first, last, sum(present.values()), fields, present if kind == "mixed" else {})
