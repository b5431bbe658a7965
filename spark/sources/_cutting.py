"""Cutting: the splits that the files of a plan are read in.

A file on this machine is cut where the plan is made. Cutting a log segment in a store reads all its headers, too slow for the
driver: the pipeline cuts segments by Spark tasks; the data source, whose planner has no Spark context, passes on whole segments, and the
task cuts them before it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark.runtime.tasks import run_tasks
from spark.sources import InputFile, Split, sources
from spark.storage.address import is_address

if TYPE_CHECKING:
    from pyspark import SparkContext

MAX_TASKS = 2_000  # one for each segment, up to so many
UNCUT = "uncut"  # in the detail of a split: the whole file, to be cut by the task that reads it


@dataclass(frozen=True)
class RecognisedFile:
    """A file to cut: its `number` in the plan, the id of its source, its replica of a partition."""

    number: int
    file: InputFile
    source: str
    topic: str
    partition: int
    replica: str

    @property
    def is_far(self) -> bool:
        return is_address(self.file.path) and sources()[self.source].kind == "segment"


Cutter = Callable[[Sequence[RecognisedFile]], list[list[Split]]]


def cut(recognised: RecognisedFile) -> list[Split]:
    source = sources()[recognised.source]
    topic, partition = recognised.topic, recognised.partition
    return source.split(recognised.file, recognised.number, topic, partition, recognised.replica)


def cut_here(files: Sequence[RecognisedFile]) -> list[list[Split]]:
    return [cut(file) for file in files]


def cut_by_tasks(context: Callable[[], SparkContext]) -> Cutter:
    """Cut segments in stores by Spark tasks, other files in this process. `context` is called only if a file is in a store."""

    def cut_files(files: Sequence[RecognisedFile]) -> list[list[Split]]:
        far = [file for file in files if file.is_far]
        done = run_tasks(context(), cut, far, min(len(far), MAX_TASKS)) if far else []
        splits = dict(zip([file.number for file in far], done, strict=True))
        return [splits[file.number] if file.number in splits else cut(file) for file in files]

    return cut_files


def cut_later(files: Sequence[RecognisedFile]) -> list[list[Split]]:
    """Cut files in this process, but leave segments in stores whole: the task that reads them calls `parts`."""
    return [[_whole(file)] if file.is_far else cut(file) for file in files]


def parts(split: Split) -> list[Split]:
    """The splits of a segment that `cut_later` left whole; otherwise the split itself."""
    if not split.detail.get(UNCUT):
        return [split]
    file = InputFile(split.name, split.path, split.end)
    cut = sources()[split.source].split(file, split.file, split.topic, split.partition, split.replica)
    return [replace(piece, detail={**split.detail, **piece.detail, UNCUT: False}) for piece in cut]


def _whole(recognised: RecognisedFile) -> Split:
    return Split(
        file=recognised.number,
        path=recognised.file.path,
        name=recognised.file.name,
        source=recognised.source,
        start=0,
        end=recognised.file.size_bytes,
        topic=recognised.topic,
        partition=recognised.partition,
        replica=recognised.replica,
        detail={UNCUT: True},
    )
