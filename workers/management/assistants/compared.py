"""Two journals set side by side, or the replicas within one.

The comparison is made of all the data and redacted afterwards: names as in the reports of both, no examples of records. Its
sentences are written from the redacted parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from spark.compare import ComparedInput, ComparisonResult, PairResult, compare, compare_copies
from spark.compare.entities import StateDifferences
from spark.compare.sides import CopyPair, PartitionCopy, copies
from spark.difference.logs import NAMED_KINDS
from spark.redaction import DocumentWords
from spark.tables import Manifest
from spark.terms.entity_words import difference_sentence
from spark.terms.wording import plural
from workers.management.assistants.bounds import PAGE, AnswerBounds, Document
from workers.management.assistants.journals import PathJournals
from workers.management.assistants.refused import RefusedCall

FIRST, SECOND = "A", "B"  # what sentences call the sides
NO_COPIES = "This input contains only one replica of each partition. Name a second input to compare it with."


def compared(
    journals: PathJournals, bounds: AnswerBounds, first: str, second: str | None, start: int
) -> Document:
    """The document of docs/compare.md, one partition a row, without examples. Raises RefusedCall."""
    sides = [journals.of(name) for name in (first, *([second] if second else []))]
    inputs = [
        ComparedInput(Manifest.load(side.raw), label)
        for side, label in zip(sides, (FIRST, SECOND), strict=False)
    ]
    context = journals.job.spark.engine()
    comparison = compare_copies(context, inputs[0]) if second is None else compare(context, *inputs)
    if second is None and not comparison.pairs:
        raise RefusedCall(NO_COPIES)
    words = [side.words() for side in sides]
    document = redacted_comparison(comparison, inputs, words).as_json()
    rows = ({name: row[name] for name in row if name != "examples"} for row in document["partitions"])
    page, following = bounds.page(rows, start)
    summary = {name: document[name] for name in ("equal", "sentence", "only_left", "only_right")}
    return {
        **bounds.within(summary, PAGE),
        "partitions": page,
        "partition_count": len(comparison.pairs),
        "next_start": following,
    }


def redacted_comparison(
    comparison: ComparisonResult, inputs: list[ComparedInput], words: list[DocumentWords]
) -> ComparisonResult:
    """`inputs` and `words` of both sides; of one input's replicas those of the input."""
    names = {
        copy.full_name: redacted_copy(copy, of_side).full_name
        for side, of_side in zip(inputs, words, strict=True)
        for copy in copies(side)
    }
    return ComparisonResult(
        comparison.left,
        comparison.right,
        [redacted_pair(pair, words[0], words[-1]) for pair in comparison.pairs],
        [names[name] for name in comparison.only_left],
        [names[name] for name in comparison.only_right],
    )


def redacted_pair(result: PairResult, of_left: DocumentWords, of_right: DocumentWords) -> PairResult:
    """Nothing in it quotes a record: numbers, offsets, redacted names and members."""
    cleaned = [
        replace(
            of_side,
            model=of_side.model and replace(of_side.model, lost_keys=keys(of_side.model.lost_keys, of_left)),
        )
        for of_side in result.cleaned
    ]
    return replace(
        result,
        pair=CopyPair(redacted_copy(result.pair.left, of_left), redacted_copy(result.pair.right, of_right)),
        cleaned=cleaned,
        examples=[],
        entities=result.entities and redacted_entities(result.entities, result.pair, of_left, of_right),
    )


def keys(texts: Iterable[str], words: DocumentWords) -> list[str]:
    return [words.key(text) for text in texts]


def redacted_copy(copy: PartitionCopy, words: DocumentWords) -> PartitionCopy:
    replica = words.replica(copy.replica)
    return replace(copy, topic=words.topic(copy.topic), replica=replica, label=replica or copy.label)


def redacted_entities(
    entities: StateDifferences, pair: CopyPair, of_left: DocumentWords, of_right: DocumentWords
) -> StateDifferences:
    topics = {"left": (pair.left.topic, of_left), "right": (pair.right.topic, of_right)}
    before = topics[entities.before]
    after = topics["right" if entities.before == "left" else "left"]
    rows = [redacted_row(row, before, after) for row in entities.shown]
    return replace(entities, shown=rows, sentence=sentence_of(entities, rows))


def redacted_row(
    row: dict[str, Any], before: tuple[str, DocumentWords], after: tuple[str, DocumentWords]
) -> dict[str, Any]:
    """An entity that differs; its id as the report of a side that has it calls it."""
    topic, words = after if row["before"] is None and row["before_offset"] is None else before
    members = {
        name: words.members(topic, row[name]) if row[name] is not None else None
        for name, (topic, words) in (("before", before), ("after", after))
    }
    entity = {
        "entity_type": words.entity_type(row["entity_type"]),
        "entity_id": words.entity(topic, row["entity_type"], row["entity_id"]),
    }
    return row | members | entity


def sentence_of(entities: StateDifferences, rows: list[dict[str, Any]]) -> str:
    """What was lost and what reappeared: by name if all of it is listed, else by number."""
    counts = {kind: entities.counts.get(kind, 0) for kind in NAMED_KINDS}
    named = [row for row in rows if row["kind"] in NAMED_KINDS]
    if sum(counts.values()) == len(named):
        return difference_sentence(named)
    return f"Between these dumps {plural(counts['lost'], 'entity', 'entities')} lost, {plural(counts['reappeared'], 'entity', 'entities')} reappeared."
