"""Detect: run every detector that can run on this input, all in one Spark job.

The detectors are dealt out to as many tasks as there are cores; each task opens the tables once. What they ask is
SQL over narrow columns of Parquet, so that sixty small questions cost no sixty Spark plans (docs/decisions/0004). Of many
partitions, those that compare nothing across partitions are asked of some at a time: one task for each subset that has a
bounded number of records (docs/decisions/0028).
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from spark.detectors import Detector, DoesNotApply, detectors
from spark.inspection import Detected, Inspection
from spark.report.shared_tables import prepare
from spark.report.unrun_checks import FAILED, NotRun, entry, not_run, of_other_type
from spark.rules.evaluation import ask_all
from spark.runtime.stage_runner import StageRunner
from spark.simulation.removals import prove
from spark.sources import LACKS, sources
from spark.sources._grammar.declared_tables import TOOL_PRINTS
from spark.stages.prints.numbered import is_numbered
from spark.tables.store import ResultTables
from spark.tables.subset import PartitionSubset
from spark.tables.subset import subsets as subsets_of
from spark.terms.findings import Finding
from spark.terms.marked import quote
from spark.terms.typed_wording import with_records

READ = ("records", "batches", "damage")  # tables with a row for what a journal's file contains
NOTHING_READ = DoesNotApply("the input contains no records")
DEFECT = "it stopped because of a bug in Journalscope ({}); the worker's log contains the details"


FILES_OF_PARTITIONS = """
    SELECT DISTINCT read.topic, read.partition, files.cannot_tell
    FROM (SELECT topic, partition, file FROM records UNION SELECT topic, partition, file FROM batches) read
    JOIN files ON files.file = read.file WHERE files.layout IS NOT NULL
"""
WITH_TIME = "SELECT max_timestamp_ms FROM batches WHERE max_timestamp_ms >= 0 LIMIT 1"
NO_TIMES = DoesNotApply("no record in the input has a timestamp")
OFFSET, TIMES = "offset", "timestamps"
# What some detectors found; why others cannot run on this input.
Answer = tuple[list[Finding], dict[str, NotRun]]
# Ids of detectors, and the partitions that one task asks them of.
Hand = tuple[list[str], PartitionSubset | None]
MAX_RECORDS = 20_000_000  # that one task asks, unless one partition has more: some seconds, less than a GB


def detect(inspection: Inspection, runner: StageRunner) -> Inspection:
    """Run the detectors and the project's rules over an inspection's tables."""
    runner.watch.stage("detect")
    manifest, layouts, rules = inspection.manifest, inspection.layouts, inspection.limits.rules
    dialect_ids = set(inspection.plan.dialect_ids.values())
    owners = {topic: (origin.dialect.id, origin.owner) for topic, origin in inspection.origins.items()}
    prints = {row["layout"] for row in inspection.plan.files if row["kind"] == "companion"}
    are_prints = all(row["layout"] in TOOL_PRINTS for row in inspection.plan.files if row["layout"])
    unrun = {
        name: None if prints.intersection(detector.prints) else why_not(detector, inspection, dialect_ids)
        for name, detector in detectors().items()
    }
    if not has_times(inspection):
        unrun |= {
            name: not_run(detector, NO_TIMES)
            for name, detector in detectors().items()
            if unrun[name] is None and TIMES in detector.needs and not prints.intersection(detector.prints)
        }
    due = [
        detector.id
        for detector in detectors().values()
        if unrun[detector.id] is None and detector.has_rows(manifest.rows)
    ]
    unrun |= dict.fromkeys(rule.id for rule in rules)
    due += [rule.id for rule in rules]
    prepared = prepare(runner, manifest, dialect_ids)

    def task(hand: Hand) -> Answer:
        ids, subset = hand
        whole = ResultTables.open(manifest, extra=prepared)
        if owners and any(map(asks_causes, ids)):
            prove(whole, owners)
        tables = ResultTables.open(manifest.of(subset), extra=prepared) if subset else whole
        findings, absent = answer([detectors()[name] for name in ids if name in detectors()], tables, whole)
        ruled, skipped = ask_all([rule for rule in rules if rule.id in ids], tables, layouts)
        failed = {name: entry(name, quote(why), FAILED) for name, why in skipped.items()}
        return [*findings, *ruled], absent | failed

    subsets = subsets_of(inspection.records_by_partition, MAX_RECORDS)
    answers = runner.run(task, hands(due, runner.cores, subsets))
    findings = [finding for group, _ in answers for finding in group]
    for _, absent in answers:
        unrun |= absent
    finders = {finding.detector for finding in findings}
    if not any(map(manifest.rows.get, READ)):
        unrun |= {
            name: not_run(detector, NOTHING_READ)
            for name, detector in detectors().items()
            if unrun[name] is None
            and name not in finders
            and not looked(detector, layouts | prints, {} if are_prints else manifest.rows)
        }
    clean = [name for name, reason in unrun.items() if reason is None and name not in finders]
    reasons = [reason for reason in unrun.values() if reason is not None]
    return replace(inspection, detected=Detected(findings, clean, reasons))


def has_times(inspection: Inspection) -> bool:
    """Whether a record or a batch has a timestamp: some tools can leave it out, and message format 0 has none. An input without records
    has none to miss."""
    newest = [counts.last_timestamp_ms for counts in inspection.counts]
    if not newest or any(time is not None and time >= 0 for time in newest):
        return True
    return bool(ResultTables.open(inspection.manifest).rows(WITH_TIME))


def why_not(detector: Detector, inspection: Inspection, dialect_ids: set[str]) -> NotRun | None:
    """Why a detector cannot run on these files and dialects, or None."""
    if detector.dialects and not dialect_ids.intersection(detector.dialects):
        return of_other_type(detector)
    lacking = sorted(detector.needs & inspection.lacks)
    if lacking:
        titles = " and ".join(sorted(sources()[name].title for name in inspection.layouts))
        why = f"not in this file format ({titles}): " + "; ".join(LACKS[need] for need in lacking)
        return not_run(detector, why, lacking)
    return None


def looked(detector: Detector, layouts: set[str], rows: Mapping[str, int]) -> bool:
    """Whether it had anything to look at in an input without records: its tool's output, or its companions of logs; `rows`: none
    where all files are outputs, which describe a cluster and no log."""
    return bool(layouts.intersection(detector.prints)) or (bool(detector.rows_of) and detector.has_rows(rows))


def hands(ids: Sequence[str], cores: int, subsets: Sequence[PartitionSubset]) -> list[Hand]:
    """What each task asks: of one subset everything; of several, those that compare no partitions of each alone."""
    if len(subsets) < 2:
        return [(hand, None) for hand in dealt(ids, cores)]
    alone = [name for name in ids if name in detectors() and detectors()[name].scope == "partition"]
    together: list[Hand] = [
        (hand, None) for hand in dealt([name for name in ids if name not in alone], cores)
    ]
    number = max(1, cores // len(subsets))  # hands for a subset, while there are more cores than subsets
    return together + [(hand, subset) for subset in subsets for hand in dealt(alone, number)]


def dealt(ids: Sequence[str], hands: int) -> list[list[str]]:
    """The ids dealt out evenly, those that ask for causes to one hand; no hand is empty."""
    together = [name for name in ids if asks_causes(name)]
    rest = [name for name in ids if not asks_causes(name)]
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
    has_numbered = any(map(is_numbered, tables.rows("SELECT DISTINCT cannot_tell FROM files")))
    for detector in chosen:
        try:
            why = detector.absent(whole or tables)
            if why is not None:
                unrun[detector.id] = not_run(detector, why)
            else:
                described = [detector.describe(row) for row in detector.find(tables)]
                findings += without_offsets(detector, described, tables) if has_numbered else described
        except Exception as problem:  # one detector's defect must not take the other eighty's answers
            traceback.print_exc()
            unrun[detector.id] = entry(detector.id, DEFECT.format(type(problem).__name__), FAILED)
    return findings, unrun


def without_offsets(detector: Detector, findings: list[Finding], tables: ResultTables) -> list[Finding]:
    """The findings without those that need offsets, on partitions whose rows were only numbered: another file has offsets. The
    others name records of such a partition by their number."""
    if not findings:
        return findings
    numbered: dict[tuple[str | None, int | None], bool] = {}
    for row in tables.rows(FILES_OF_PARTITIONS):
        for scope in ((row["topic"], row["partition"]), (row["topic"], None)):
            numbered[scope] = numbered.get(scope, True) and is_numbered(row)
    return [
        with_numbers(finding) if numbered.get((finding.topic, finding.partition), False) else finding
        for finding in findings
        if OFFSET not in detector.needs
        or not numbered.get((finding.topic, finding.partition), False)
        or (detector.prints and not finding.evidence)  # of a tool's output
    ]


def with_numbers(finding: Finding) -> Finding:
    """Of a print without offsets."""
    for name, text in finding.marked.items():
        finding.write(name, with_records(text))
    finding.damage = [with_records(line) for line in finding.damage]
    return finding
