"""One repair from the queue to the files that repair a journal.

Inspections that are still there are not done again: their result folders are what is repaired and what helps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from spark.repair.offered import keep_what_is_produced, offered, pack
from spark.terms.errors import UnreadableInput
from webapp.journals.disk import storage
from webapp.journals.models import Inspection
from workers.jobs.progress import Progress
from workers.jobs.runner import Attempt, JobFailed, JobKind
from workers.jobs.spark_runner import FAILURES
from workers.kinds.inspection import input_files
from workers.kinds.repair_sources import existing_input

if TYPE_CHECKING:
    from pyspark import SparkContext

    from spark.repair import AddedSchemaFile, RequestedSchema
    from spark.repair.answers import RepairAnswer
    from spark.repair.inputs import Input
    from spark.sources import InputFile

GONE = (
    "Both the results and the files of {name} are deleted. Upload it again. Then start the repair from its new report, or "
    "select it again as an older dump."
)
NOTHING = "Nothing to repair was found"
NOTHING_BESIDE = f"{NOTHING} in the journals that Journalscope can repair"
UNSUPPORTED = "Journalscope does not repair journals of this type"
OURS = "this journal"
SCHEMA_NAME = re.compile(r"(\d{1,10})=(?:(.+)=(\d{1,10})|.*)\.\w+")


class RepairJob(JobKind):
    """Gather what is there, build the records, try them."""

    name = "repair"
    related = ("inspection__journal",)
    uses_spark = True
    expected = (JobFailed, UnreadableInput, *FAILURES)

    def execute(self, attempt: Attempt) -> dict[str, Any]:
        """The files to produce in their folder; what the page shows for the row."""
        from spark.repair.result import repair

        out, builder = attempt.folder.partial, Building(attempt)
        out.mkdir(parents=True)
        attempt.progress.stage("gather")
        older = attempt.job.older.select_related("journal").order_by("-created_at")
        gathered = [(attempt.job.inspection, OURS)]
        gathered += [(dump, f"the older dump {name}") for dump, name in named(list(older))]
        inputs = [builder.input_of(inspection, name) for inspection, name in gathered]
        files = builder.schema_files()
        attempt.progress.stage("build")
        requested = requested_by_name(files)
        answer = repair(
            inputs[0], inputs[1:], files, builder.inspect, out, attempt.job.topic, requested=requested
        )
        keep_what_is_produced(answer.partitions, out)
        pack(answer.partitions, out)
        inspections = [inspection for inspection, _ in gathered]
        return {"result": described(answer, zip(inspections, inputs, strict=True))}


KIND = RepairJob()


class Building:
    """What the repair asks for: inspections as they are, done again, and of what it built."""

    def __init__(self, attempt: Attempt) -> None:
        self.context, self.progress = attempt.context, attempt.progress
        self.job, self.scratch = attempt.job, attempt.folder.scratch

    def input_of(self, inspection: Inspection, name: str) -> Input:
        """An inspection as it is, or done again where its results are gone."""
        self.progress.raise_if_cancelled()
        return existing_input(inspection, name) or self.inspected_again(inspection, name)

    def inspected_again(self, inspection: Inspection, name: str) -> Input:
        """The journal's files fetched and inspected into scratch, read as the user chose."""
        from spark.repair.inputs import Input

        scratch = self.scratch / str(inspection.pk)
        files = input_files(inspection, scratch, self.context)
        if not files:
            raise JobFailed(GONE.format(name=inspection.journal.name))
        results = scratch / "results"
        return Input(self.inspect(files, results, inspection.read_as), results, name)

    def inspect(self, files: list[InputFile], results: Path, read_as: Mapping[str, str]) -> dict[str, Any]:
        """An inspection within the repair; that of a trial is a stage of its own."""
        from spark.pipeline import Limits, inspect

        way = results.name.removeprefix("tried-")
        if way != results.name:
            self.progress.stage(way)
        limits = Limits(settings.MAX_BATCH_BYTES, read_as)
        return inspect(self.engine(), files, results, WithinStage(self.progress), limits)

    def engine(self) -> Callable[[], SparkContext]:
        """What inspects files of this machine: this process, where executors may not see them."""
        from spark.runtime.in_process import in_process

        is_elsewhere = bool(settings.RESULTS_URL) and not settings.SPARK_MASTER.startswith("local")
        return in_process if is_elsewhere else self.context

    def schema_files(self) -> list[AddedSchemaFile]:
        from spark.repair import AddedSchemaFile

        raw = self.scratch / "raw"
        return [AddedSchemaFile(file.name, storage.fetch(file.blob_id, raw)) for file in self.job.files.all()]


def requested_by_name(files: Sequence[AddedSchemaFile]) -> list[RequestedSchema]:
    """IDs that the names of files give: of a schema with subject and version, `14=orders-value=2.avsc`, or alone, `14=orders.avsc`."""
    from spark.repair import RequestedSchema

    named = [(file, SCHEMA_NAME.fullmatch(file.name)) for file in files]
    return [
        RequestedSchema(int(name[1]), name[2] or "", int(name[3] or 0), file) for file, name in named if name
    ]


class WithinStage:
    """An inspection's own stages are not shown; it ends when the repair is cancelled."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def stage(self, name: str, note: str = "") -> None:
        self._progress.raise_if_cancelled()

    def raise_if_cancelled(self) -> None:
        self._progress.raise_if_cancelled()


def named(inspections: Sequence[Inspection]) -> list[tuple[Inspection, str]]:
    """Inspections with what their dumps are called; of one name twice with their time, so that each is told apart."""
    names = [inspection.journal.name for inspection in inspections]
    return [
        (
            inspection,
            name if names.count(name) == 1 else f"{name} ({inspection.created_at:%Y-%m-%d %H:%M:%S.%f})",
        )
        for inspection, name in zip(inspections, names, strict=True)
    ]


def described(answer: RepairAnswer, gathered: Iterable[tuple[Inspection, Input]]) -> dict[str, Any]:
    """The document of docs/repair.md, with sentences, the files to download, and where each source can be looked at."""
    from spark.repair.words import sentence

    document = answer.as_json()
    for partition, entry in zip(answer.partitions, document["partitions"], strict=True):
        entry["sentence"] = sentence(partition)
        for way, view in zip(partition.ways, entry["ways"], strict=True):
            view["files"] = offered(way)
    inputs = [
        {
            "name": source.name,
            "inspection": str(inspection.pk),
            "project": inspection.journal.project_id,
            "places": [list(journal.replica) for journal in source.journals()],
        }
        for inspection, source in gathered
    ]
    return {"sentence": overall(document), "inputs": inputs, **document}


def overall(document: dict[str, Any]) -> str:
    partitions = document["partitions"]
    if not partitions:
        return without_repair(document["nothing_to_repair"], document["unsupported"])
    if len(partitions) == 1:
        return str(partitions[0]["sentence"])
    whole = sum(1 for partition in partitions if partition["is_complete"])
    return f"{whole} of {len(partitions)} partitions that need a repair can be repaired completely."


def without_repair(intact: Sequence[dict[str, Any]], unsupported: Sequence[dict[str, Any]]) -> str:
    """Sentence for journals without a repair."""
    if not intact:
        return UNSUPPORTED
    return NOTHING_BESIDE if unsupported else NOTHING
