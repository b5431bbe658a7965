"""The stages in order: read this file first.

    plan       recognise each file, name its topic and partition, cut it into splits, find the dialect
    decode     splits -> batches, records, damage, runs; the dialect reads records into entries in the same pass
    relate     records -> key history and keys, one bucket of keys per task
    replay     entries -> state, refusals and marks, as the real service starts up; the log's own story (transactions, epochs,
               formats, what the cleaner sees, gaps)
    detect     tables -> findings, all detectors in one Spark job
    summarise  findings -> causes and consequences, incidents, verdict, coverage: report.json

`inspect` is the one way in, for the worker and the command line. Each stage takes the `Inspection` and gives it back with its
results added. Tasks write their own Parquet into the result folder; the driver keeps the list of files that count (`tables.json`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from spark import incremental
from spark.dialects import dialects
from spark.incremental import IncrementalRun
from spark.inspection import Inspection, Limits
from spark.log.write import log_subsets, write_log
from spark.report.compaction_policy import compacted_topics
from spark.report.detect import detect
from spark.report.shared_tables import MADE
from spark.report.summarise import summarise
from spark.runtime.stage_runner import NoProgress, ProgressListener, StageRunner
from spark.runtime.tasks import run_tasks
from spark.sources import InputFile, sources
from spark.sources._cutting import cut_by_tasks
from spark.sources._wrapping.written import with_stored_prints
from spark.stages.buckets import SEGMENT
from spark.stages.decode import KEY_INDEX_FOLDER, decode_splits
from spark.stages.journal_owner import origins_of
from spark.stages.older import write_older
from spark.stages.plan import plan_inputs
from spark.stages.prints.joined import joined
from spark.stages.relate import lowest_repeats, relate_bucket
from spark.stages.replay import replay_partition, replay_tasks
from spark.storage.copies import local_path
from spark.storage.stored_path import ResultPath, remove_tree, write_whole
from spark.tables import TABLES, Manifest, Part
from spark.tables.parquet import write_parts
from spark.tables.store import SPILLED
from spark.terms.wording import plural

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["IncrementalRun", "Limits", "NoProgress", "ProgressListener", "inspect", "preload"]

PRINTS = "prints"  # folder below the results for prints that are told apart from what stands around them


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
    inspection = plan(Inspection(files, limits, Manifest(results, {}, {})), context)
    if growing and growing.after:
        inspection = incremental.take_over(inspection, growing.after)
    runner = StageRunner(context(), watch)
    inspection = decode(inspection, runner)
    inspection = relate(inspection, runner)
    inspection = replay(inspection, runner)
    inspection.manifest.save()
    if growing:
        incremental.keep(inspection)
    else:
        remove_tree(results / KEY_INDEX_FOLDER)
    remove_tree(results / PRINTS)
    inspection = detect(inspection, runner)
    inspection = summarise(inspection, runner)
    for folder in (SPILLED, MADE):
        remove_tree(results / folder)
    write_whole(results / "report.json", json.dumps(inspection.report, ensure_ascii=False))
    return inspection.report


def preload(context: SparkContext) -> None:
    """Let every Python worker of Spark import what inspections import, so that the first one need not wait for it."""
    slots = context.defaultParallelism
    context.parallelize(range(slots), slots).foreachPartition(_import_readers)


def _import_readers(_: Iterable[int]) -> None:
    """Unpickled by its name: this module is imported there, and with it the stages."""
    sources()
    dialects()


def plan(inspection: Inspection, context: Callable[[], SparkContext]) -> Inspection:
    """Files -> splits, in bundles and buckets. Runs on the driver; Spark reads only what is in a store, and prints to be joined."""
    limits, prints = inspection.limits, inspection.results / PRINTS
    plan = plan_inputs(
        inspection.inputs,
        {"max_batch_bytes": limits.max_batch_bytes},
        limits.read_as,
        local_path(str(prints)),
        cut=cut_by_tasks(context),
    )
    plan = replace(plan, splits=with_stored_prints(plan.splits, prints))
    plan = joined(plan, lambda function, groups: run_tasks(context(), function, groups))
    return replace(inspection, plan=plan.in_tasks())


def decode(inspection: Inspection, runner: StageRunner) -> Inspection:
    """Splits -> batches, records, damage, entries, runs, and the tables that the plan makes itself."""
    plan = inspection.plan
    due = {number: splits for number, splits in enumerate(plan.bundles) if number not in inspection.decoded}
    runner.watch.stage("decode", plural(sum(map(len, due.values())), "part"))
    results, dialect_ids, buckets = str(inspection.results), plan.dialect_ids, plan.buckets
    fresh = runner.run(
        lambda bundle: decode_splits(*bundle, results, dialect_ids, buckets), list(due.items())
    )
    decoded = {**inspection.decoded, **dict(zip(due, fresh, strict=True))}
    decoded = {number: decoded[number] for number in range(len(plan.bundles))}
    parts = chain.from_iterable(result.parts for result in decoded.values())
    manifest = inspection.manifest.with_parts(parts)
    return with_files(replace(inspection, decoded=decoded, manifest=manifest))


def with_files(inspection: Inspection) -> Inspection:
    """The table of files, with what the readers noted, lines set aside, and what copies changed."""
    plan = inspection.plan
    notes: dict[int, dict[str, None]] = defaultdict(dict)
    for decoded in inspection.decoded.values():
        for file, note in decoded.notes:
            notes[file][note] = None
    files = [row | {"note": "; ".join([row["note"], *notes[row["file"]]])} for row in plan.files]
    rows = {"files": files, "set_aside": plan.set_aside, "copy_changes": plan.copy_changes}
    tables = {name: pa.Table.from_pylist(rows[name], schema=TABLES[name].schema) for name in rows}
    manifest = inspection.manifest.with_parts(write_parts(inspection.manifest, tables))
    return replace(inspection, plan=replace(plan, files=files), manifest=manifest)


def relate(inspection: Inspection, runner: StageRunner) -> Inspection:
    """Key index -> key history and keys."""
    runner.watch.stage("relate")
    results = str(inspection.results)
    key_indexes = [decoded.key_index for decoded in inspection.decoded.values() if decoded.key_index]
    buckets = range(inspection.plan.buckets.count if key_indexes else 0)
    due = [bucket for bucket in buckets if bucket not in inspection.related]
    fresh = runner.run(lambda bucket: relate_bucket(bucket, key_indexes, results), due)
    related = {**inspection.related, **dict(zip(due, fresh, strict=True))}
    related = {bucket: related[bucket] for bucket in buckets}
    parts = chain.from_iterable(result.parts for result in related.values())
    return replace(inspection, related=related, manifest=inspection.manifest.with_parts(parts))


def replay(inspection: Inspection, runner: StageRunner) -> Inspection:
    """Entries -> state, refusals and marks; batches and companion files -> transactions, epochs, gaps, ...; older dumps' entities."""
    runner.watch.stage("replay")
    manifest, replicas = inspection.manifest, inspection.replicas
    origins = origins_of(replicas, inspection.plan, manifest)
    tasks = replay_tasks(replicas, origins, manifest)
    replayed = {task: inspection.replayed[task] for task in tasks if task in inspection.replayed}
    due = [task for task in tasks if task not in replayed]
    first_repeats, compacted = lowest_repeats(inspection.related.values()), compacted_topics(origins)
    subsets = log_subsets(inspection.records_by_partition)
    paths = {split.file: split.path for split in inspection.plan.splits if split.source == SEGMENT}
    logs = [partial(write_log, manifest.of(subset), first_repeats, compacted, paths) for subset in subsets]
    replays = [partial(replay_partition, task, manifest) for task in due]
    written: list[list[Part]] = runner.run(lambda write: write(), [*logs, *replays])
    replayed |= dict(zip(due, written[len(logs) :], strict=True))
    older = write_older(inspection.results, inspection.limits.older, replicas, origins)
    parts = chain(*written[: len(logs)], *replayed.values(), older)
    return replace(inspection, origins=origins, replayed=replayed, manifest=manifest.with_parts(parts))
