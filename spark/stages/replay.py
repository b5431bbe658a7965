"""Replay: run each partition's entries through its dialect, as the real service does at start-up.

The log is replayed as it is, as the next run of the log cleaner leaves it (the newest record of each key) and as the
last one does (without tombstones); what differs is what compaction will change. Where the service writes null records at
its next start, also as the last run leaves it after that. Where services of several kinds read the same journal, by the
rules of each.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from spark.dialects import Dialect, dialects, replay_all
from spark.dialects._history import History, ReplayRun
from spark.stages._replay_views import STARTED, VIEWS, ReplayEntries
from spark.stages.journal_owner import Origin
from spark.stages.marks import write_marks
from spark.storage.copies import fetched
from spark.tables import Manifest, Part
from spark.tables.parquet import PartWriter
from spark.tables.replica import PartitionReplica


@dataclass(frozen=True)
class Task:
    """Replays of one partition: each view by the rules of every profile. Views that hold the same are replayed once. Of
    numbered records, the views after a cleaning are those of the log as it is: nobody knows what it would remove."""

    number: int
    dialect: str
    replica: PartitionReplica
    profiles: tuple[str, ...]
    owner: str
    views: tuple[str, ...]
    is_numbered: bool = False

    def run(self, profile: str, view: str) -> ReplayRun:
        """One of them."""
        return ReplayRun(self.replica, profile, profile == self.owner, view)


def tasks(
    replicas: Iterable[PartitionReplica],
    origins: Mapping[str, Origin],
    numbered: Collection[PartitionReplica] = (),
) -> list[Task]:
    """Every replay that is due, those of the whole log first: they take longest, and the others fill what is left.
    `numbered`: copies without offsets."""
    due: list[Task] = []
    for replica in replicas:
        dialect, owner = origins[replica.topic].dialect, origins[replica.topic].owner
        if dialect.replay is None:
            continue
        is_numbered = replica in numbered
        for views, profiles in rounds(dialect, is_numbered):
            due.append(Task(len(due), dialect.id, replica, profiles, owner, views, is_numbered))
    return sorted(due, key=lambda task: VIEWS.index(task.views[0]))


def rounds(dialect: Dialect, is_numbered: bool = False) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Views and profiles that are replayed together: all profiles of the whole log, and of what cleaning leaves of it."""
    profiles = tuple(profile.id for profile in dialect.profiles) or ("",)
    views = (VIEWS[:1], VIEWS[1:]) if dialect.is_compacted and not is_numbered else (VIEWS,)
    return [(together, profiles) for together in views]


def replay_partition(task: Task, manifest: Manifest) -> list[Part]:
    """Replay one partition and write `state`, `refusals` and `marks`. Runs in a Spark task."""
    first, *later = task.views
    done = replay_view(task, first, task.profiles, manifest)
    written = list(done.parts)
    if first == VIEWS[0]:
        with PartWriter.of_task(manifest.folder, task.number, "-marks") as writer:
            write_marks(task.replica, manifest.with_parts(done.parts), writer)
            written += writer.finish()
    if done.nulled and first == VIEWS[0] and not task.is_numbered:
        written += replay_view(task, STARTED, task.profiles, manifest, done.nulled).parts
    for view in later:
        alike = task.profiles if task.is_numbered else done.alike
        written += written_again(task, done.parts, alike, view, manifest)
        others = [profile for profile in task.profiles if profile not in alike]
        if others:
            written += replay_view(task, view, others, manifest).parts
    return written


@dataclass(frozen=True)
class Replayed:
    """The files of a view, the profiles to which the later views say the same, and the records under whose keys the
    next start writes null records."""

    parts: list[Part]
    alike: list[str]
    nulled: tuple[int, ...]


def replay_view(
    task: Task, view: str, profiles: Sequence[str], manifest: Manifest, nulled: tuple[int, ...] = ()
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
        alike = [one.run.profile for one in histories if not (dialect.is_compacted and one.heeds_deletions)]
        return Replayed(writer.finish(), alike, tuple(offset for one in histories for offset in one.nulled))


def written_again(
    task: Task, parts: list[Part], profiles: Sequence[str], view: str, manifest: Manifest
) -> list[Part]:
    """The rows of these profiles as those of another view."""
    if not profiles:
        return []
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
    """What a replay holds does not point back to itself, and to walk over all of it again and again costs a third of it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
