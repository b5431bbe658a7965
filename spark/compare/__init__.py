"""Compare: two inspections, or two copies of a partition within one, record by record along the offsets.

    pair     which copy of which partition is set beside which (sides.py)
    align    per range of offsets, one Spark task: runs of equal, different, only here, only there (align.py)
    epochs   where two histories parted, and in which leader epoch (epochs.py)
    entities what the service's state lost, by both replays (entities.py)
    cleaned  one side is the other after the cleaner: what went, what must not have gone, what should have (cleaned.py);
             by the cleaner's model: what it may and must remove (limits.py) of the log before it (uncleaned.py, model.py)

`compare` is the one way in. Record content is key, value, headers, timestamp, control type, producer id, epoch and
sequence; borders of batches and stamps of leader epochs are not: cleaning moves the first, electing the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark.compare.align import Aligned, align_pairs
from spark.compare.cleaned import explain
from spark.compare.entities import state_differences
from spark.compare.epochs import parting
from spark.compare.examples import examples
from spark.compare.replicas import replicas
from spark.compare.result import ComparisonResult, PairResult
from spark.compare.sides import ComparedInput, CopyPair, brokers, copies, pairs
from spark.compare.tables import ComparedTables

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["ComparedInput", "ComparisonResult", "PairResult", "compare", "compare_copies"]


def compare(context: SparkContext, left: ComparedInput, right: ComparedInput) -> ComparisonResult:
    """Two sides, partition by partition. Records stay in the tasks; only ranges and a few examples come back."""
    matched = pairs(copies(left), copies(right))
    return _compared(context, left, right, matched.pairs, matched.only_left, matched.only_right)


def compare_copies(context: SparkContext, side: ComparedInput) -> ComparisonResult:
    """The replicas of each partition within one inspection: the first beside each of the others."""
    groups = replicas(copies(side), brokers(side))
    chosen = [CopyPair(first, other) for first, *others in groups for other in others]
    return _compared(context, side, side, chosen, [], [])


def _compared(
    context: SparkContext,
    left: ComparedInput,
    right: ComparedInput,
    chosen: list[CopyPair],
    only_left: list[str],
    only_right: list[str],
) -> ComparisonResult:
    both = ComparedTables(left.manifest, right.manifest)
    aligned = align_pairs(context, both, chosen)
    results = [
        _result(context, both, pair, of_pair, left is right)
        for pair, of_pair in zip(chosen, aligned, strict=True)
    ]
    return ComparisonResult(left.label, right.label, results, only_left, only_right)


def _result(
    context: SparkContext, both: ComparedTables, pair: CopyPair, aligned: Aligned, is_of_one_input: bool
) -> PairResult:
    """Runs and counts with what explains them."""
    with both.open() as tables:
        parted = (
            parting(tables, pair, aligned.first_different) if aligned.first_different is not None else None
        )
        evidence = examples(tables, pair, aligned)
        entities = state_differences(tables, pair)
    cleaned = [] if aligned.counts["different"] else explain(context, both, pair, aligned)
    return PairResult(pair, aligned, parted, cleaned, evidence, entities, is_of_one_input)
