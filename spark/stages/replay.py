"""Replay: run each partition's entries through its dialect, as the real service does at start-up.

The log is replayed as it is, as the next run of the log cleaner leaves it (the newest record of each key) and as the
last one does (without tombstones); what differs is what compaction will change. Where the service writes null records at
its next start, also as the last run leaves it after that. Where services of several kinds read the same journal, by the
rules of each.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from spark.dialects import Dialect, dialects, replay_all
from spark.dialects._history import History, ReplayRun
from spark.stages._replay_views import STARTED, VIEWS, ReplayEntries
from spark.stages.journal_owner import Origin
from spark.stages.marks import write_marks
from spark.stages.prints.numbered import numbered_replicas
from spark.storage.copies import fetched
from spark.tables import Manifest, Part
from spark.tables.parquet import PartWriter
from spark.tables.replica import PartitionReplica
from spark.tables.store import ResultTables


@dataclass(frozen=True)
class ReplayTask:
    """Replays of one partition: each view by the rules of every profile. Views that hold the same are replayed once. Of
    numbered records, the views after a cleaning are those of the log as it is: nobody knows what it would remove.

    Tasks are equal that write the same of the same records; `number` only names their files.
    """

    number: int = field(compare=False)
    dialect: str
    replica: PartitionReplica
    profiles: tuple[str, ...]
    owner: str
    views: tuple[str, ...]
    is_numbered: bool = False

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        """Of what `asdict` gives, after a way through JSON."""
        replica = PartitionReplica(*members["replica"])
        profiles, views = tuple(members["profiles"]), tuple(members["views"])
        return cls(**{**members, "replica": replica, "profiles": profiles, "views": views})

    def run(self, profile: str, view: str) -> ReplayRun:
        return ReplayRun(self.replica, profile, profile == self.owner, view)


def replay_tasks(
    replicas: Iterable[PartitionReplica], origins: Mapping[str, Origin], manifest: Manifest
) -> list[ReplayTask]:
    """All replays, those of the whole log first: they take longest, and the others fill the cores that become free."""
    if not manifest.rows.get("entries"):
        return []
    tasks: list[ReplayTask] = []
    numbered = numbered_replicas(ResultTables.open(manifest))
    for replica in replicas:
        dialect, owner = origins[replica.topic].dialect, origins[replica.topic].owner
        if dialect.replay is None:
            continue
        is_numbered = replica in numbered
        for views, profiles in rounds(dialect, is_numbered):
            tasks.append(ReplayTask(len(tasks), dialect.id, replica, profiles, owner, views, is_numbered))
    return sorted(tasks, key=lambda task: VIEWS.index(task.views[0]))


def rounds(dialect: Dialect, is_numbered: bool = False) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Views and profiles that are replayed together: all profiles of the whole log, and of what cleaning leaves of it."""
    profiles = tuple(profile.id for profile in dialect.profiles) or ("",)
    views = (VIEWS[:1], VIEWS[1:]) if dialect.is_compacted and not is_numbered else (VIEWS,)
    return [(together, profiles) for together in views]


def replay_partition(task: ReplayTask, manifest: Manifest) -> list[Part]:
    """Replay one partition and write `state`, `refusals` and `marks`. Runs in a Spark task."""
    view, *later_views = task.views
    replayed = replay_view(task, view, task.profiles, manifest)
    parts = list(replayed.parts)
    if view == VIEWS[0]:
        with PartWriter.of_task(manifest.folder, task.number, "-marks") as writer:
            write_marks(task.replica, manifest.with_parts(replayed.parts), writer)
            parts += writer.finish()
        if replayed.nulled and not task.is_numbered:
            parts += replay_view(task, STARTED, task.profiles, manifest, replayed.nulled).parts
    alike = task.profiles if task.is_numbered else replayed.alike
    others = [profile for profile in task.profiles if profile not in alike]
    for later_view in later_views:
        if alike:
            parts += written_again(task, replayed.parts, alike, later_view, manifest)
        if others:
            parts += replay_view(task, later_view, others, manifest).parts
    return parts


@dataclass(frozen=True)
class Replayed:
    """The files of a view, the profiles to which the later views say the same, and the records under whose keys the
    next start writes null records."""

    parts: list[Part]
    alike: list[str]
    nulled: tuple[int, ...]


def replay_view(
    task: ReplayTask, view: str, profiles: Sequence[str], manifest: Manifest, nulled: tuple[int, ...] = ()
) -> Replayed:
    """Replay a view by the rules of these profiles."""
    dialect = dialects()[task.dialect]
    with PartWriter.of_task(manifest.folder, task.number, f"-{view}") as writer:
        histories = [History(task.run(profile, view), writer.write) for profile in profiles]
        entries = ReplayEntries(view, dialect, task.replica, manifest, nulled)
        with without_collector():
            replay_all(dialect, entries, histories)
            for history in histories:
                history.finish()
        alike = [
            history.run.profile
            for history in histories
            if not (dialect.is_compacted and history.heeds_deletions)
        ]
        offsets = tuple(offset for history in histories for offset in history.nulled)
        return Replayed(writer.finish(), alike, offsets)


def written_again(
    task: ReplayTask, parts: Iterable[Part], profiles: Sequence[str], view: str, manifest: Manifest
) -> list[Part]:
    """The rows of these profiles as those of another view."""
    with PartWriter.of_task(manifest.folder, task.number, f"-{view}-again") as writer:
        for part in parts:
            file = pq.ParquetFile(fetched(str(manifest.folder / part.name)))
            for number in range(file.num_row_groups):
                rows = file.read_row_group(number)
                rows = rows.filter(pc.is_in(rows.column("profile"), pa.array(profiles)))
                views = pa.repeat(pa.scalar(view, pa.string()), rows.num_rows)
                writer.write(part.table, rows.set_column(rows.schema.get_field_index("view"), "view", views))
        return writer.finish()


@contextmanager
def without_collector() -> Iterator[None]:
    """A replay makes no reference cycles, and collecting garbage takes a third of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
