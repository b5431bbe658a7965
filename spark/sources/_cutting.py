"""Cutting: the splits that the files of a plan are read in.

A file on this machine is cut where the plan is made. To cut a log segment in a store all its headers are read, which is nothing for the
driver to do: the pipeline cuts segments by Spark tasks, and the data source, whose planner has no Spark, hands on whole segments that the
task cuts before it reads them.
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
    """A file to cut: `number` in the plan, the id of its source, the replica of a partition that it belongs to."""

    number: int
    file: InputFile
    source: str
    topic: str
    partition: int
    replica: str

    @property
    def is_far(self) -> bool:
        """Whether all of it must be fetched from a store to cut it."""
        return is_address(self.file.path) and sources()[self.source].kind == "segment"


Cutter = Callable[[Sequence[RecognisedFile]], list[list[Split]]]


def cut(one: RecognisedFile) -> list[Split]:
    """The splits of one file."""
    return sources()[one.source].split(one.file, one.number, one.topic, one.partition, one.replica)


def cut_here(files: Sequence[RecognisedFile]) -> list[list[Split]]:
    """All by this process."""
    return [cut(one) for one in files]


def cut_by_tasks(context: Callable[[], SparkContext]) -> Cutter:
    """Segments in stores by tasks of Spark, the others by this process. The context is asked for only if it is needed."""

    def cut_files(files: Sequence[RecognisedFile]) -> list[list[Split]]:
        far = [one for one in files if one.is_far]
        done = run_tasks(context(), cut, far, min(len(far), MAX_TASKS)) if far else []
        splits = dict(zip([one.number for one in far], done, strict=True))
        return [splits[one.number] if one.number in splits else cut(one) for one in files]

    return cut_files


def cut_later(files: Sequence[RecognisedFile]) -> list[list[Split]]:
    """Segments in stores as one split each, the others by this process."""
    return [[_whole(one)] if one.is_far else cut(one) for one in files]


def parts(split: Split) -> list[Split]:
    """The splits of one that was not cut yet, or itself."""
    if not split.detail.get(UNCUT):
        return [split]
    file = InputFile(split.name, split.path, split.end)
    cut = sources()[split.source].split(file, split.file, split.topic, split.partition, split.replica)
    return [replace(one, detail={**split.detail, **one.detail, UNCUT: False}) for one in cut]


def _whole(one: RecognisedFile) -> Split:
    file = one.file
    return Split(
        one.number, file.path, file.name, one.source, 0, file.size_bytes, one.topic, one.partition, one.replica, {UNCUT: True}
    )  # fmt: skip
