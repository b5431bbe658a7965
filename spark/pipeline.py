"""The stages in order: read this file first.

    plan       recognise each file, name its topic and partition, cut it into splits, find the dialect
    decode     splits -> batches, records, damage, runs; the dialect reads records into entries in the same pass
    relate     records -> key history and keys, one bucket of keys per task
    replay     entries -> state, refusals and marks, as the real service starts up; the log's own story (transactions, epochs,
               formats, what the cleaner sees, gaps)
    detect     tables -> findings, all detectors in one Spark job
    summarise  findings -> causes and consequences, incidents, verdict, coverage: report.json

`inspect` is the one way in, for the worker and the command line. Tasks write their own Parquet into the result
folder; the driver keeps the list of files that count (`tables.json`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pyarrow as pa

from spark.dialects import dialects
from spark.log.gaps import absent, unexplained
from spark.log.write import log_subsets, write_log
from spark.report import coverage
from spark.report.bare_prints import LAYOUT as BARE_PRINT
from spark.report.bare_prints import bare_prints
from spark.report.capture_coverage import captured
from spark.report.compaction_policy import compacted_topics, with_compaction
from spark.report.copies import copies_of
from spark.report.detect import detect
from spark.report.format_advice import format_advice
from spark.report.log_bounds import log_bounds
from spark.report.printed import printed
from spark.report.proof import with_proof
from spark.report.shared_tables import MADE
from spark.report.summarise import summarise
from spark.rules.evaluation import PinnedRule
from spark.runtime.tasks import run_tasks
from spark.sources import InputFile, Split, sources
from spark.sources._cutting import cut_by_tasks
from spark.sources._wrapping.written import with_stored_prints
from spark.stages import incremental
from spark.stages.decode import Decoded, decode_splits
from spark.stages.incremental import ReusePlan
from spark.stages.journal_owner import Origin, origins
from spark.stages.older import OlderDump, write_older
from spark.stages.plan import InspectionPlan, plan
from spark.stages.prints.joined import joined
from spark.stages.prints.numbered import numbered_replicas
from spark.stages.relate import Related, lowest_repeats, relate_bucket
from spark.stages.replay import Task, replay_partition, tasks
from spark.storage.copies import local_path
from spark.storage.stored_path import ResultPath, remove_tree, write_whole
from spark.tables import TABLES, Manifest, Part
from spark.tables.parquet import write_parts
from spark.tables.store import SPILLED, ResultTables
from spark.terms.wording import plural

if TYPE_CHECKING:
    from pyspark import SparkContext

PRINTS = "prints"  # folder below the results for prints that are told apart from what stands around them

T = TypeVar("T")
R = TypeVar("R")


class ProgressListener(Protocol):
    """`stage` names the stage that begins; the text says what it works on."""

    def stage(self, name: str, note: str = "") -> None: ...

    def raise_if_cancelled(self) -> None: ...


class NoProgress:
    """Nobody watches."""

    def stage(self, name: str, note: str = "") -> None: ...

    def raise_if_cancelled(self) -> None: ...


@dataclass(frozen=True)
class Limits:
    """Bounds that keep one input from taking the machine, and what the user wants read otherwise than it looks."""

    max_batch_bytes: int = 512 << 20
    read_as: Mapping[str, str] = field(default_factory=dict)  # topic ("": every one) -> dialect id
    rules: Sequence[PinnedRule] = ()  # of the project, besides the catalogue's detectors
    older: Sequence[OlderDump] = ()  # inspected dumps of the same journal, from before


@dataclass(frozen=True)
class IncrementalRun:
    """The log will grow: what was found out is kept for its next inspection. `after`: the last one's result folder."""

    after: ResultPath | None = None


def inspect(
    context: Callable[[], SparkContext],
    files: list[InputFile],
    results: ResultPath,
    watch: ProgressListener,
    limits: Limits,
    growing: IncrementalRun | None = None,
) -> dict[str, Any]:
    """Inspect files as one input; write tables and report.json into `results`, a folder or an address; return the report.

    `context` is called when the plan stands, so that a JVM may start meanwhile, or to cut files in a store. Raises UnreadableInput when no
    file can be read, and whatever `watch.raise_if_cancelled` raises.
    """
    results.mkdir(parents=True, exist_ok=True)
    watch.stage("plan", plural(len(files), "file"))
    detail: dict[str, object] = {"max_batch_bytes": limits.max_batch_bytes}
    prints = results / PRINTS
    planned = plan(files, detail, limits.read_as, local_path(str(prints)), cut=cut_by_tasks(context))
    planned = replace(planned, splits=with_stored_prints(planned.splits, prints))
    planned = joined(planned, lambda work_of, due: run_tasks(context(), work_of, due))
    after = growing.after if growing else None
    work = incremental.work_after(after, planned, results) if after else incremental.all_of(planned)
    job = StageContext(context(), results, watch)
    decoded = decode(job, planned, work)
    related = relate(job, [one.key_index for one in decoded if one.key_index], work)
    table_of_files = write_files(results, planned, decoded)
    manifest = Manifest(results, {}, {}).with_parts([*parts(decoded), *parts(related), *table_of_files])
    owners = origins(coverage.replicas(decoded), lambda topic: planned.dialect_of(topic)[0], manifest)
    log, replayed = replay(job, manifest, owners, decoded, related, work)
    manifest = manifest.with_parts([*log, *(part for _, written in replayed for part in written)])
    manifest = manifest.with_parts(write_older(results, limits.older, coverage.replicas(decoded), owners))
    manifest.save()
    if growing:
        incremental.keep(results, planned, work, decoded, related, replayed)
    else:
        remove_tree(results / "spine")
    remove_tree(prints)
    report = judge(job, manifest, planned, decoded, owners, limits.rules)
    for folder in (SPILLED, MADE):
        remove_tree(results / folder)
    write_whole(results / "report.json", json.dumps(report, ensure_ascii=False))
    return report


def preload(context: SparkContext) -> None:
    """Let every Python worker of Spark import what inspections import, so that the first one need not wait for it."""
    slots = context.defaultParallelism
    context.parallelize(range(slots), slots).foreachPartition(_import_readers)


def _import_readers(_: Iterable[int]) -> None:
    """Unpickled by its name: this module is imported there, and with it the stages."""
    sources()
    dialects()


@dataclass(frozen=True)
class StageContext:
    """What every stage needs."""

    context: SparkContext
    results: ResultPath
    watch: ProgressListener

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """One Spark task per item, results in order."""
        self.watch.raise_if_cancelled()
        return run_tasks(self.context, function, tasks)


def parts(done: Iterable[Decoded | Related]) -> list[Part]:
    """The files that tasks wrote."""
    return [part for one in done for part in one.parts]


def input_bytes(files: list[InputFile]) -> int:
    """Its size."""
    return sum(file.size_bytes for file in files)


def decode(job: StageContext, planned: InspectionPlan, work: ReusePlan) -> list[Decoded]:
    """Splits -> batches, records, damage, entries, runs."""
    due = [(number, group) for number, group in enumerate(work.bundles) if number not in work.decoded]
    job.watch.stage("decode", plural(sum(len(group) for _, group in due), "part"))
    results, buckets = str(job.results), work.buckets
    topics = {topic: name for topic, (name, _) in planned.dialects.items()}

    def task(numbered: tuple[int, list[Split]]) -> Decoded:
        return decode_splits(*numbered, results, topics, buckets)

    fresh = dict(zip([number for number, _ in due], job.run(task, due), strict=True))
    return [(work.decoded | fresh)[number] for number in range(len(work.bundles))]


def relate(job: StageContext, key_indexes: list[str], work: ReusePlan) -> list[Related]:
    """Key index -> key history and keys."""
    job.watch.stage("relate")
    results = str(job.results)

    def task(bucket: int) -> Related:
        return relate_bucket(bucket, key_indexes, results)

    every = range(work.buckets.count) if key_indexes else range(0)
    due = [bucket for bucket in every if bucket not in work.related]
    fresh = dict(zip(due, job.run(task, due), strict=True))
    return [(work.related | fresh)[bucket] for bucket in every]


def replay(
    job: StageContext,
    manifest: Manifest,
    owners: dict[str, Origin],
    decoded: list[Decoded],
    related: list[Related],
    work: ReusePlan,
) -> tuple[list[Part], list[tuple[Task, list[Part]]]]:
    """Entries -> state, refusals and marks by task; batches and companion files -> transactions, epochs, gaps, ..."""
    job.watch.stage("replay")
    every: list[Task] = []
    if manifest.rows.get("entries"):
        numbered = numbered_replicas(ResultTables.open(manifest))
        every = tasks(coverage.replicas(decoded), owners, numbered)
    earlier = [(task, incremental.replayed_before(task, work)) for task in every]
    there = [(task, parts) for task, parts in earlier if parts is not None]
    due = [task for task, parts in earlier if parts is None]
    compacted, logs = compacted_topics(owners), log_subsets(coverage.records(decoded))
    first_repeats = lowest_repeats(related)
    all_due: list[Callable[[], list[Part]]] = [
        partial(write_log, manifest.of(subset), first_repeats, compacted) for subset in logs
    ]
    all_due += [partial(replay_partition, task, manifest) for task in due]
    written = job.run(lambda task: task(), all_due)
    log = [part for parts in written[: len(logs)] for part in parts]
    return log, [*there, *zip(due, written[len(logs) :], strict=True)]


def write_files(results: ResultPath, planned: InspectionPlan, decoded: list[Decoded]) -> list[Part]:
    """The `files` table, with what the readers noted, the lines set aside, and what copies changed."""
    notes: dict[int, list[str]] = defaultdict(list)
    for one in decoded:
        for number, note in one.notes:
            if note not in notes[number]:
                notes[number].append(note)
    for row in planned.files:
        row["note"] = "; ".join([row["note"], *notes[row["file"]]])
    rows = {"files": planned.files, "set_aside": planned.set_aside, "copy_changes": planned.copy_changes}
    tables = {name: pa.Table.from_pylist(rows[name], schema=TABLES[name].schema) for name in rows}
    return write_parts(Manifest(results, {}, {}), tables)


def judge(
    job: StageContext,
    manifest: Manifest,
    planned: InspectionPlan,
    decoded: list[Decoded],
    owners: dict[str, Origin],
    rules: Sequence[PinnedRule],
) -> dict[str, Any]:
    """Tables -> findings -> report."""
    job.watch.stage("detect")
    job.watch.raise_if_cancelled()
    layouts = {row["layout"] for row in planned.files if row["kind"] in {"segment", "export"}}
    layouts = layouts or {"log-segment"}  # of folders without their logs
    cores = job.context.defaultParallelism
    names = {name for name, _ in planned.dialects.values()}
    whose = {topic: (origin.dialect.id, origin.owner) for topic, origin in owners.items()}
    records = coverage.records(decoded)
    detected = detect(job.run, cores, manifest, layouts, names, rules, whose, records)
    job.watch.stage("summarise")
    copies = copies_of(manifest)
    report = summarise(
        planned.files,
        with_compaction(coverage.journals(planned, decoded, owners), manifest),
        {
            **coverage.coverage(
                planned,
                decoded,
                [sources()[name] for name in sorted(layouts)],
                copies,
                numbered_replicas(ResultTables.open(manifest)),
            ),
            "unexplained_offsets_per_partition": unexplained(manifest),
            "corrupt_batches": coverage.corrupt_batches(manifest),
            **coverage.absent_offsets(absent(manifest)),
            **log_bounds(manifest),
            "capture": [*captured(manifest), *printed(manifest, planned.files)],
            "printed": bare_prints(ResultTables.open(manifest)) if BARE_PRINT in layouts else "",
        },
        detected.findings,
        detected.clean,
        detected.not_run,
        copies,
    )
    extra = {"format_advice": format_advice(manifest), "rules": [rule.as_used for rule in rules]}
    return with_proof(report, ResultTables.open(manifest)) | extra
