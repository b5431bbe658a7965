"""Detect: run every detector that can run on this input, all in one Spark job.

The detectors are dealt out to as many tasks as there are cores; each task opens the tables once. What they ask is
SQL over narrow columns of Parquet, so that sixty small questions cost no sixty Spark plans (docs/decisions/0004). Of many
partitions, those that compare nothing across partitions are asked of some at a time: one task for each subset that has a
bounded number of records (docs/decisions/0028).
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spark.detectors import Detector, detectors
from spark.report.shared_tables import RunTasks, prepare
from spark.report.unrun_checks import FAILED, NotRun, entry, not_run, of_other_type
from spark.rules.evaluation import PinnedRule, ask_all
from spark.simulation.removals import prove
from spark.sources import LACKS, sources
from spark.stages.prints.numbered import is_numbered
from spark.tables import Manifest
from spark.tables.store import ResultTables
from spark.tables.subset import Partition, PartitionSubset, subsets
from spark.terms.findings import Finding
from spark.terms.marked import quote

DEFECT = "it stopped because of a bug in Journalscope ({}); the worker's log contains the details"


@dataclass(frozen=True)
class Detected:
    """What came of it: findings, ids of detectors that found nothing, and those that could not run, with why."""

    findings: list[Finding]
    clean: list[str]
    not_run: list[NotRun]


LAYOUTS_THERE = """
    SELECT DISTINCT there.topic, there.partition, files.cannot_tell
    FROM (SELECT topic, partition, file FROM records UNION SELECT topic, partition, file FROM batches) there
    JOIN files ON files.file = there.file WHERE files.layout IS NOT NULL
"""
OFFSET = "offset"
Scope = tuple[str | None, int | None]
# What some detectors found; why others cannot run on this input.
Answer = tuple[list[Finding], dict[str, NotRun]]
# Ids of detectors, and the partitions that one task asks them of.
Hand = tuple[list[str], PartitionSubset | None]
MAX_RECORDS = 20_000_000  # that one task asks, unless one partition has more: some seconds, less than a GB


def detect(
    run: RunTasks,
    cores: int,
    manifest: Manifest,
    layouts: set[str],
    dialect_ids: set[str],
    rules: Sequence[PinnedRule] = (),
    origins: Mapping[str, tuple[str, str]] | None = None,
    records: Mapping[Partition, int] | None = None,
) -> Detected:
    """Run the detectors and the project's rules over an inspection's tables. `run` runs one Spark task per item;
    `origins`: topic -> ids of its dialect and of the profile that it belongs to; `records`: of each partition."""
    unrun = {name: why_not(detector, layouts, dialect_ids) for name, detector in detectors().items()}
    unrun |= dict.fromkeys(rule.id for rule in rules)
    able = [detector for name, detector in detectors().items() if unrun[name] is None]
    due = [detector.id for detector in able if detector.has_rows(manifest.rows)]
    due += [rule.id for rule in rules]

    made = prepare(run, cores, manifest, dialect_ids)

    def task(hand: Hand) -> Answer:
        ids, subset = hand
        whole = ResultTables.open(manifest, extra=made)
        if origins and any(map(asks_causes, ids)):
            prove(whole, origins)
        tables = ResultTables.open(manifest.of(subset), extra=made) if subset else whole
        findings, absent = answer([detectors()[name] for name in ids if name in detectors()], tables, whole)
        ruled, skipped = ask_all([rule for rule in rules if rule.id in ids], tables, layouts)
        return [*findings, *ruled], absent | {
            name: entry(name, quote(why), FAILED) for name, why in skipped.items()
        }

    answers: list[Answer] = run(task, hands(due, cores, subsets(records or {}, MAX_RECORDS)))
    findings = [finding for group, _ in answers for finding in group]
    for _, absent in answers:
        unrun |= absent
    finders = {finding.detector for finding in findings}
    return Detected(
        findings,
        [name for name, one in unrun.items() if one is None and name not in finders],
        [one for one in unrun.values() if one is not None],
    )


def why_not(detector: Detector, layouts: set[str], dialect_ids: set[str]) -> NotRun | None:
    """Why a detector cannot run on these layouts and dialects, or None."""
    if detector.dialects and not dialect_ids.intersection(detector.dialects):
        return of_other_type(detector)
    lacking = [
        need for need in sorted(detector.needs) if all(need in sources()[name].lacks for name in layouts)
    ]
    if lacking:
        titles = " and ".join(sorted(sources()[name].title for name in layouts))
        why = f"not in this file format ({titles}): " + "; ".join(LACKS[need] for need in lacking)
        return not_run(detector, why, lacking)
    return None


def hands(ids: Sequence[str], cores: int, parts: Sequence[PartitionSubset]) -> list[Hand]:
    """What each task asks: of one subset everything; of several, those that compare no partitions of each alone."""
    if len(parts) < 2:
        return [(hand, None) for hand in dealt(ids, cores)]
    alone = [name for name in ids if name in detectors() and detectors()[name].scope == "partition"]
    together: list[Hand] = [(hand, None) for hand in dealt([one for one in ids if one not in alone], cores)]
    each = max(1, cores // len(parts))  # hands for a subset, while there are more cores than subsets
    return together + [(hand, part) for part in parts for hand in dealt(alone, each)]


def dealt(ids: Sequence[str], hands: int) -> list[list[str]]:
    """The ids dealt out evenly, those that ask for causes to one hand; no hand is empty."""
    together = [one for one in ids if asks_causes(one)]
    rest = [one for one in ids if not asks_causes(one)]
    shared = [rest[start::hands] for start in range(hands)]
    shared[-1] = together + shared[-1]
    return [hand for hand in shared if hand]


def asks_causes(detector_id: str) -> bool:
    """Whether a detector does; a project's rule does not."""
    return detector_id in detectors() and detectors()[detector_id].asks_causes


def answer(chosen: Iterable[Detector], tables: ResultTables, whole: ResultTables | None = None) -> Answer:
    """What these detectors find, and why some of them cannot run; `whole`: all partitions, where `tables` are some."""
    findings: list[Finding] = []
    unrun: dict[str, NotRun] = {}
    for detector in chosen:
        try:
            why = detector.absent(whole or tables)
            if why is not None:
                unrun[detector.id] = not_run(detector, why)
            else:
                findings += known_there(
                    detector, [detector.describe(row) for row in detector.find(tables)], tables
                )
        except Exception as problem:  # one detector's defect must not take the other eighty's answers
            traceback.print_exc()
            unrun[detector.id] = entry(detector.id, DEFECT.format(type(problem).__name__), FAILED)
    return findings, unrun


def known_there(detector: Detector, findings: list[Finding], tables: ResultTables) -> list[Finding]:
    """Without findings that need offsets, on partitions whose rows were only numbered: another file has offsets."""
    if not findings or OFFSET not in detector.needs:
        return findings
    if not any(is_numbered(row) for row in tables.rows("SELECT DISTINCT cannot_tell FROM files")):
        return findings
    numbered: dict[Scope, bool] = {}
    for row in tables.rows(LAYOUTS_THERE):
        for scope in ((row["topic"], row["partition"]), (row["topic"], None)):
            numbered[scope] = numbered.get(scope, True) and is_numbered(row)
    return [finding for finding in findings if not numbered.get((finding.topic, finding.partition), False)]
