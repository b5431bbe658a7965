"""Inspection: one input on its way through the stages of `spark.pipeline` (docs/decisions/0035).

Immutable: a stage gives back a copy with its own results added. What a stage has not reached yet is empty, not None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spark.rules.evaluation import PinnedRule
from spark.sources import InputFile, lacks_in, sources
from spark.stages.decode import Counts, Decoded
from spark.stages.journal_owner import Origin
from spark.stages.older import OlderDump
from spark.stages.plan import InspectionPlan
from spark.stages.relate import Related
from spark.stages.replay import ReplayTask
from spark.storage.stored_path import ResultPath
from spark.tables import Manifest, Part
from spark.tables.replica import PartitionReplica
from spark.tables.subset import Partition
from spark.terms.findings import Finding


@dataclass(frozen=True)
class Limits:
    """Bounds that keep one input from taking the machine, and what the user wants read otherwise than it looks."""

    max_batch_bytes: int = 512 << 20
    read_as: Mapping[str, str] = field(default_factory=dict)  # topic ("": every one) -> dialect id
    rules: Sequence[PinnedRule] = ()  # of the project, besides the catalogue's detectors
    older: Sequence[OlderDump] = ()  # inspected dumps of the same journal, from before


@dataclass(frozen=True)
class Detected:
    """What the detectors found, the ids of those that found nothing, and entries of `not_run` (docs/report.md)."""

    findings: Sequence[Finding] = ()
    clean: Sequence[str] = ()
    not_run: Sequence[dict[str, str]] = ()


@dataclass(frozen=True)
class Inspection:
    """What is known of an input so far: the caller's part, the files of all tables, then a part for each stage."""

    inputs: list[InputFile]
    limits: Limits
    manifest: Manifest
    plan: InspectionPlan = field(default_factory=InspectionPlan)
    decoded: Mapping[int, Decoded] = field(default_factory=dict)  # by the bundle's number in the plan
    related: Mapping[int, Related] = field(default_factory=dict)  # by bucket
    origins: Mapping[str, Origin] = field(default_factory=dict)  # by topic
    replayed: Mapping[ReplayTask, Sequence[Part]] = field(default_factory=dict)
    detected: Detected = field(default_factory=Detected)
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def results(self) -> ResultPath:
        """The folder or address that takes tables and report."""
        return self.manifest.folder

    @property
    def counts(self) -> list[Counts]:
        """What each bundle contains of each partition replica."""
        return [counts for decoded in self.decoded.values() for counts in decoded.counts]

    @property
    def replicas(self) -> list[PartitionReplica]:
        """Every partition replica that contains a record, sorted."""
        return sorted({counts.replica for counts in self.counts})

    @property
    def records_by_partition(self) -> Counter[Partition]:
        """Data and control records of each partition, in all its replicas."""
        records: Counter[Partition] = Counter()
        for counts in self.counts:
            records[counts.replica.topic, counts.replica.partition] += (
                counts.data_records + counts.control_records
            )
        return records

    @property
    def layouts(self) -> set[str]:
        """Ids of the layouts that records were read from; the segments' where the input has only companions of logs."""
        layouts = {row["layout"] for row in self.plan.files if row["kind"] in {"segment", "export"}}
        return layouts or {"log-segment"}

    @property
    def lacks(self) -> frozenset[str]:
        """What none of the files that records were read from tells; of companions of logs alone, what segments lack."""
        rows = [row for row in self.plan.files if row["kind"] in {"segment", "export"}]
        every = [lacks_in(row["cannot_tell"]) for row in rows] or [sources()["log-segment"].lacks]
        return frozenset.intersection(*every)
