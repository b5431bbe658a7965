"""The result of a comparison: JSON (schema 1, docs/compare.md) and the sentences a person reads first."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from spark.compare.align import Aligned, OffsetRun
from spark.compare.cleaned import Cleaned
from spark.compare.entities import StateDifferences
from spark.compare.epochs import Parting
from spark.compare.examples import Example
from spark.compare.sides import CopyPair, PartitionCopy
from spark.compare.words import named, pair_sentence, roles, whole_sentence

RANGES_SHOWN = 2_000  # of one pair; fewer where many pairs share the document
RANGES_IN_ALL = 20_000


@dataclass(frozen=True)
class PairResult:
    """What came of setting two copies beside each other."""

    pair: CopyPair
    aligned: Aligned
    parting: Parting | None
    cleaned: list[Cleaned]
    examples: list[Example]
    entities: StateDifferences | None = None
    is_of_one_input: bool = False

    @property
    def is_equal(self) -> bool:
        """Every record of each is in the other and says the same."""
        return set(self.aligned.counts) <= {"equal"}

    @property
    def relation(self) -> str:
        """equal | different | damaged | cleaned | both_cleaned | longer: what the counts amount to."""
        counts, inside = self.aligned.counts, self.aligned.inside
        if counts["different"]:
            return "different"
        if inside["left"] or inside["right"]:
            return "both_cleaned" if inside["left"] and inside["right"] else "cleaned"
        if counts["damaged"]:
            return "damaged"
        return "equal" if self.is_equal else "longer"

    @property
    def has_loss(self) -> bool:
        """Whether the service lost something between the sides."""
        return bool(self.entities and self.entities.counts.get("lost"))

    @property
    def sentence(self) -> str:
        """What the service lost, then what the records say."""
        lost = self.entities.sentence if self.entities else ""
        records = self._sentence_about(named(self.pair))
        return f"{lost} {records}" if lost else records

    @property
    def record_sentence(self) -> str:
        """What the records say, two dumps being Before and After."""
        return self._sentence_about((named if self.is_of_one_input else roles)(self.pair))

    def _sentence_about(self, names: tuple[str, str]) -> str:
        return pair_sentence(self.pair, self.relation, self.aligned, self.parting, self.cleaned, names)

    def as_json(self, max_ranges: int = RANGES_SHOWN) -> dict[str, Any]:
        """The pair's part of the document."""
        ranges = self.aligned.runs
        return {
            "topic": self.pair.left.topic,
            "partition": self.pair.left.partition,
            "left": _copy(self.pair.left),
            "right": _copy(self.pair.right),
            "relation": self.relation,
            "sentence": self.sentence,
            "record_sentence": self.record_sentence,
            "counts": {
                kind: self.aligned.counts[kind] for kind in ("equal", "different", "damaged", "left", "right")
            },
            "differing_fields": dict(self.aligned.differing_fields),
            "first_different": self.aligned.first_different,
            "last_different": self.aligned.last_different,
            "parting": asdict(self.parting) if self.parting else None,
            "cleaned": [
                {**asdict(cleaned), "must_not_be_gone": cleaned.must_not_be_gone} for cleaned in self.cleaned
            ],
            "ranges": [_range(run) for run in ranges[:max_ranges]],
            "ranges_left_out": max(0, len(ranges) - max_ranges),
            "entities": asdict(self.entities) if self.entities else None,
            "examples": [asdict(example) for example in self.examples],
        }


@dataclass(frozen=True)
class ComparisonResult:
    """All pairs, and the partitions that only one side has."""

    left: str
    right: str
    pairs: list[PairResult]
    only_left: list[str]
    only_right: list[str]

    @property
    def is_equal(self) -> bool:
        """Nothing differs and nothing is on one side only."""
        return not self.only_left and not self.only_right and all(pair.is_equal for pair in self.pairs)

    def as_json(self) -> dict[str, Any]:
        """The document of docs/compare.md."""
        max_ranges = min(RANGES_SHOWN, max(50, RANGES_IN_ALL // max(1, len(self.pairs))))
        return {
            "schema": 1,
            "left": self.left,
            "right": self.right,
            "equal": self.is_equal,
            "sentence": self.sentence,
            "only_left": self.only_left,
            "only_right": self.only_right,
            "partitions": [pair.as_json(max_ranges) for pair in self.pairs],
        }

    @property
    def sentence(self) -> str:
        return whole_sentence(
            [(pair.has_loss, pair.relation, pair.sentence) for pair in self.pairs],
            (self.left, self.only_left),
            (self.right, self.only_right),
        )

    def as_text(self) -> str:
        lines = [self.sentence]
        for pair in self.pairs:
            lines += [
                "",
                f"{pair.pair.left.partition_name}: {pair.sentence}",
                *map(_line, pair.aligned.runs[:20]),
            ]
        return "\n".join(lines)


def _copy(copy: PartitionCopy) -> dict[str, Any]:
    return {
        "topic": copy.topic,
        "partition": copy.partition,
        "replica": copy.replica,
        "label": copy.label,
        "records": copy.records,
        "first_offset": copy.start_offset,
        "last_offset": copy.end_offset,
        "first_record_offset": copy.first_record_offset,
        "last_record_offset": copy.last_record_offset,
    }


def _range(run: OffsetRun) -> dict[str, Any]:
    return {
        "kind": run.kind,
        "first_offset": run.first_offset,
        "last_offset": run.last_offset,
        "records": run.records,
        **({"counts": run.counts} if run.counts else {}),
    }


def _line(run: OffsetRun) -> str:
    return f"  {run.first_offset:>12} to {run.last_offset:<12} {run.kind:<10} {run.records:,}"
