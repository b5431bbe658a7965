"""One repair from the queue to the files that repair a journal.

Inspections that are still there are not done again: their result folders are what is repaired and what helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from django.conf import settings

from spark.terms.errors import UnreadableInput
from webapp.journals import progress as words_of_progress
from webapp.journals import storage
from webapp.journals.models import Inspection, Repair
from workers.attempts import Attempt
from workers.inspections import input_files
from workers.produced import keep_what_is_produced, offered, pack
from workers.progress import Progress

if TYPE_CHECKING:
    from pyspark import SparkContext

    from spark.repair import SchemaFile
    from spark.repair.result import Input, Repaired
    from spark.sources import InputFile

GONE = (
    "Both the results and the files of {name} are deleted. Upload it again. Then start the repair from its new report, or "
    "select it again as an older dump."
)
NOTHING = "Nothing to repair was found: no start and no compaction changes what this journal contains."
NO_OLDER = f"{NOTHING} Only an older dump shows what is missing without a trace: select one and start again."
WITH_OLDER = f"{NOTHING} The older dumps show nothing that is missing here without a trace."
OURS = "this journal"


class Mending(Attempt):
    """Gather what is there, build the records, try them."""

    model = Repair
    stages = words_of_progress.REPAIR_STAGES
    defect = "The repair broke off because of a defect in Journalscope. An admin finds the details in the worker's log."
    disk_full = "The server's disk is full, so the repair could not be finished. Ask an admin to make room, then start again."

    def made(self, context: Callable[[], SparkContext]) -> dict[str, Any]:
        """The files to produce in their folder; what the page shows for the row."""
        from spark.repair.result import repair

        self.context = context
        self.progress.stage("gather")
        broken = self.run.inspection
        others = self.run.older.select_related("journal").order_by("-created_at")
        named_older = [(one, f"the older dump {name}") for one, name in named(list(others))]
        inputs = [self.input_of(one, name) for one, name in [(broken, OURS), *named_older]]
        files = self.schema_files()
        self.progress.stage("build")
        found = repair(inputs[0], inputs[1:], files, self.inspect, self.place.partial, self.run.topic)
        keep_what_is_produced(found, self.place.partial)
        pack(found, self.place.partial)
        gathered = zip([broken, *others], inputs, strict=True)
        return {"result": described(found, gathered)}

    def input_of(self, inspection: Inspection, name: str) -> Input:
        """An inspection as it is, or done again where its results are gone."""
        from spark.repair.result import Input

        self.progress.raise_if_cancelled()
        results = inspection.results
        if (results / "report.json").is_file() and (results / "tables.json").is_file():
            return Input(orjson.loads((results / "report.json").read_bytes()), results, name)
        return self.inspected_again(inspection, name)

    def inspected_again(self, inspection: Inspection, name: str) -> Input:
        """The journal's files fetched and inspected into scratch, read as the user chose."""
        from spark.repair.result import Input

        scratch = self.place.scratch / str(inspection.pk)
        files = input_files(inspection, scratch)
        if not files:
            raise UnreadableInput(GONE.format(name=inspection.journal.name))
        results = scratch / "results"
        return Input(self.inspect(files, results, inspection.read_as), results, name)

    def inspect(self, files: list[InputFile], results: Path, read_as: Mapping[str, str]) -> dict[str, Any]:
        """An inspection within the repair; that of a trial is a stage of its own."""
        from spark.pipeline import Limits, inspect

        way = results.name.removeprefix("tried-")
        if way != results.name:
            self.progress.stage(way)
        limits = Limits(settings.MAX_BATCH_BYTES, read_as)
        return inspect(self.context, files, results, WithinStage(self.progress), limits)

    def schema_files(self) -> list[SchemaFile]:
        """The files that were added."""
        from spark.repair import SchemaFile

        raw = self.place.scratch / "raw"
        return [SchemaFile(one.name, storage.fetch(one.blob_id, raw)) for one in self.run.files.all()]


class WithinStage:
    """An inspection's own stages are not shown; it ends when the repair is cancelled."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def stage(self, name: str, note: str = "") -> None:
        """A chance to end."""
        self._progress.raise_if_cancelled()

    def raise_if_cancelled(self) -> None:
        """End here if the repair is cancelled."""
        self._progress.raise_if_cancelled()


def named(inspections: Sequence[Inspection]) -> list[tuple[Inspection, str]]:
    """Inspections with what their dumps are called; of one name twice with their time, so that each is told apart."""
    names = [one.journal.name for one in inspections]
    return [
        (one, name if names.count(name) == 1 else f"{name} ({one.created_at:%Y-%m-%d %H:%M:%S.%f})")
        for one, name in zip(inspections, names, strict=True)
    ]


def described(found: Sequence[Repaired], gathered: Iterable[tuple[Inspection, Input]]) -> dict[str, Any]:
    """The document of docs/repair.md, with sentences, the files to download, and where each source can be looked at."""
    from spark.repair.words import sentence

    partitions = []
    for one in found:
        entry = one.as_json() | {"sentence": sentence(one)}
        for way, told in zip(one.ways, entry["ways"], strict=True):
            told["files"] = offered(way)
        partitions.append(entry)
    inputs = [
        {
            "name": given.name,
            "inspection": str(inspection.pk),
            "places": [list(journal.where) for journal in given.journals()],
        }
        for inspection, given in gathered
    ]
    return {"sentence": overall(partitions, len(inputs) > 1), "inputs": inputs, "partitions": partitions}


def overall(partitions: Sequence[dict[str, Any]], has_older: bool) -> str:
    """The answer first."""
    if not partitions:
        return WITH_OLDER if has_older else NO_OLDER
    if len(partitions) == 1:
        return str(partitions[0]["sentence"])
    whole = sum(1 for one in partitions if one["recommended"] and not one["missing"])
    return f"{whole} of {len(partitions)} partitions that need a repair can be repaired completely."
