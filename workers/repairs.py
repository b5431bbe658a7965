"""One repair from the queue to the files that mend a journal.

Inspections that are still there are not done again: their result folders are what is mended and what helps. Every
change of state is one conditional UPDATE, as for inspections.
"""

from __future__ import annotations

import errno
import logging
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from django.conf import settings
from django.db.models import F
from django.utils import timezone

from spark.errors import UnreadableInput
from spark.java import NoJava
from webapp.journals import progress as words_of_progress
from webapp.journals import storage
from webapp.journals.models import Inspection, Repair
from workers import spark_runner
from workers.inspections import Place, input_files
from workers.produced import keep_what_is_produced, steps_file
from workers.progress import Cancelled, Progress, WorkerStops, is_cancelled, say_alive, say_gone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

    from spark.repair import SchemaFile
    from spark.repair.result import Input, Repaired
    from spark.sources import InputFile

logger = logging.getLogger(__name__)
State = Repair.State

DEFECT = "The repair broke off because of a defect in Journalscope. An admin finds the details in the worker's log."
DISK_FULL = "The server's disk is full, so the repair could not be finished. Ask an admin to make room, then start again."
GONE = (
    "Neither the results nor the files of {name} are there any more. Upload it again, and start the repair from its "
    "new report or choose it anew as an older dump."
)
NOTHING = "There is nothing to mend: nothing of this journal lacks a content that can be brought back."
OURS = "this journal"


class InputGone(Exception):
    """An inspection has neither results nor files any more."""


def perform(repair_id: str) -> None:
    """What the task does. Nothing when the repair is not waiting: it is over, or somebody else's."""
    repair = _take(repair_id)
    if repair is None:
        return
    place = _place(repair)
    place.clear()
    try:
        _run(repair, place)
    finally:
        place.clear()
        say_gone(repair.pk)


def _take(repair_id: str) -> Repair | None:
    waiting = Repair.objects.filter(pk=repair_id, state=State.QUEUED)
    if not waiting.exists():
        return None
    say_alive(repair_id)
    mine = waiting.update(
        state=State.RUNNING, started_at=timezone.now(), attempts=F("attempts") + 1, error=""
    )
    return Repair.objects.select_related("inspection__journal").get(pk=repair_id) if mine else None


def _mine(repair: Repair) -> Any:
    """The row, if it is still this attempt's."""
    return Repair.objects.filter(pk=repair.pk, state=State.RUNNING, attempts=repair.attempts)


def _place(repair: Repair) -> Place:
    final = repair.results
    return Place(final.with_name(f"{final.name}.partial"), final, Path(settings.SCRATCH_DIR) / final.name)


def _run(repair: Repair, place: Place) -> None:
    """The one place that catches broadly: to keep the outcome, and raise again what nobody foresaw."""
    try:
        _done(repair, place, _repair(repair, place))
    except Cancelled:
        _settle(repair, State.CANCELLED)
    except WorkerStops:
        _mine(repair).update(state=State.QUEUED, attempts=F("attempts") - 1, started_at=None)
    except (InputGone, UnreadableInput, NoJava) as problem:
        _settle(repair, State.FAILED, str(problem))
    except Exception as problem:
        full = isinstance(problem, OSError) and problem.errno in {errno.ENOSPC, errno.EDQUOT}
        logger.exception("Repair %s broke off.", repair.pk)
        _settle(repair, State.FAILED, DISK_FULL if full else DEFECT)
        raise


def _repair(repair: Repair, place: Place) -> dict[str, Any]:
    progress = Progress(repair.pk, words_of_progress.REPAIR_STAGES)
    if is_cancelled(repair.pk):
        raise Cancelled

    def attempt(session: Callable[[], SparkSession]) -> dict[str, Any]:
        place.clear()
        place.partial.mkdir(parents=True)
        return Attempt(repair, place, progress, session).document()

    document = spark_runner.run(progress, attempt)
    progress.raise_if_cancelled()
    progress.finish()
    return document


@dataclass
class Attempt:
    """The repair with one Spark session."""

    repair: Repair
    place: Place
    progress: Progress
    session: Callable[[], SparkSession]
    gathered: list[tuple[Inspection, Input]] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Gather what is there, mend, try; what the page shows, the files to produce in the partial folder."""
        from spark.repair.result import repair as mend

        self.progress.stage("gather")
        broken = self.input_of(self.repair.inspection, OURS)
        others = self.repair.older.select_related("journal").order_by("-created_at")
        older = [self.input_of(one, f"the older dump {name}") for one, name in named(list(others))]
        files = self.schema_files()
        self.progress.stage("build")
        found = mend(broken, older, files, self.inspect, self.place.partial)
        for way in (way for one in found for way in one.ways):  # files are downloaded one by one
            way.steps = [step.replace(way.files[0], Path(way.files[0]).name) for step in way.steps]
        keep_what_is_produced(found, self.place.partial)
        return described(found, self.gathered)

    def input_of(self, inspection: Inspection, name: str) -> Input:
        """An inspection as it is, or done again where its results are gone."""
        from spark.repair.result import Input

        self.progress.raise_if_cancelled()
        results = inspection.results
        if (results / "report.json").is_file() and (results / "tables.json").is_file():
            found = Input(orjson.loads((results / "report.json").read_bytes()), results, name)
        else:
            found = self.inspected_again(inspection, name)
        self.gathered.append((inspection, found))
        return found

    def inspected_again(self, inspection: Inspection, name: str) -> Input:
        """The journal's files fetched and inspected into scratch."""
        from spark.repair.result import Input

        scratch = self.place.scratch / str(inspection.pk)
        files = input_files(inspection, scratch)
        if not files:
            raise InputGone(GONE.format(name=inspection.journal.name))
        return Input(self.inspect(files, scratch / "results"), scratch / "results", name)

    def inspect(self, files: list[InputFile], results: Path) -> dict[str, Any]:
        """An inspection within the repair; that of a trial is a stage of its own."""
        from spark.pipeline import Limits, inspect

        way = results.name.removeprefix("tried-")
        if way != results.name:
            self.progress.stage(way)
        limits = Limits(max_batch_bytes=settings.MAX_BATCH_BYTES)
        return inspect(self.session, files, results, WithinStage(self.progress), limits)

    def schema_files(self) -> list[SchemaFile]:
        """The files that were added."""
        from spark.repair import SchemaFile

        raw = self.place.scratch / "raw"
        return [SchemaFile(one.name, storage.fetch(one.blob_id, raw)) for one in self.repair.files.all()]


class WithinStage:
    """An inspection's own stages are not shown; it ends when the repair shall."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def stage(self, name: str, note: str = "") -> None:
        """A chance to end."""
        self._progress.raise_if_cancelled()

    def raise_if_cancelled(self) -> None:
        """End here if the repair shall."""
        self._progress.raise_if_cancelled()


def named(inspections: Sequence[Inspection]) -> list[tuple[Inspection, str]]:
    """Inspections with what their dumps are called; of one name twice with their time, so that each is told apart."""
    names = [one.journal.name for one in inspections]
    return [
        (one, name if names.count(name) == 1 else f"{name} ({one.created_at:%Y-%m-%d %H:%M:%S.%f})")
        for one, name in zip(inspections, names, strict=True)
    ]


def described(found: Sequence[Repaired], gathered: Sequence[tuple[Inspection, Input]]) -> dict[str, Any]:
    """The document of docs/repair.md, with sentences, the steps' files, and where each source can be looked at."""
    from spark.repair.words import sentence

    partitions = []
    for one in found:
        entry = one.as_json() | {"sentence": sentence(one)}
        for way, told in zip(one.ways, entry["ways"], strict=True):
            told["files"] = [*told["files"], steps_file(way)]
        partitions.append(entry)
    inputs = [
        {
            "name": given.name,
            "inspection": str(inspection.pk),
            "places": [list(journal.where) for journal, _ in given.journals()],
        }
        for inspection, given in gathered
    ]
    return {"sentence": overall(partitions), "inputs": inputs, "partitions": partitions}


def overall(partitions: Sequence[dict[str, Any]]) -> str:
    """The answer first."""
    if not partitions:
        return NOTHING
    if len(partitions) == 1:
        return str(partitions[0]["sentence"])
    whole = sum(1 for one in partitions if one["recommended"] and not one["missing"])
    return f"{whole} of {len(partitions)} partitions that need it can be mended."


def _done(repair: Repair, place: Place, document: dict[str, Any]) -> None:
    if not _mine(repair).exists():  # deleted or cancelled meanwhile
        return
    place.finish()
    if not _settle(repair, State.DONE, result=document):
        shutil.rmtree(place.final, ignore_errors=True)


def _settle(repair: Repair, state: str, error: str = "", **members: Any) -> int:
    return int(_mine(repair).update(state=state, error=error, finished_at=timezone.now(), **members))
