"""A growing folder as a stream: what the logs below it contain from the offsets on that Spark keeps in its checkpoint.

    offset of the stream    {"<a partition's folder, as files are named>": next offset to read, ...}

Offsets of the log, not places in files: they stay right where segments are rolled, compacted or deleted. A log ends after its last
whole batch; the broker may be writing the next one. A micro-batch that Spark repeats has the same offsets, and the same records
unless the broker has removed some meanwhile: at least once. What was removed unread is an error, never skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from spark.datasource.options import Request
from spark.datasource.paths import chosen_paths, is_stored
from spark.datasource.planning import OF_RECORDS, SplitBundle
from spark.datasource.selection import ReadSelection
from spark.datasource.tables import STREAMED
from spark.dialects import dialects
from spark.inputs.files_below import find
from spark.sources import InputFile, Split, sources
from spark.sources.log_segment import batches as b
from spark.sources.log_segment.checksums import agrees
from spark.sources.log_segment.mapped import MappedFile
from spark.sources.log_segment.recognise import base_offset
from spark.sources.log_segment.survey import NO_OFFSET, survey
from spark.stages.buckets import SEGMENT, bundles
from spark.stages.partition_folders import LEFTOVER_FOLDER, UNKNOWN_TOPIC, find_replicas, folder_of
from spark.tables.replica import PartitionReplica
from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed

Offsets = Mapping[str, int]


@dataclass(frozen=True)
class GrowingLog:
    """A partition's folder: its segments by their base offsets, in order."""

    replica: PartitionReplica
    segments: dict[int, InputFile] = field(default_factory=dict)

    @property
    def first_offset(self) -> int:
        return next(iter(self.segments))

    def between(self, first: int, end: int) -> list[InputFile]:
        """The segments that may contain offsets from `first` up to and without `end`."""
        bases = list(self.segments)
        following = [*bases[1:], end]
        return [
            self.segments[base]
            for base, next_base in zip(bases, following, strict=True)
            if base < end and next_base > first
        ]


@dataclass
class GrowingFolder:
    """The logs below the paths of a request."""

    request: Request
    _ends: dict[str, tuple[int, int]] = field(default_factory=dict)  # path -> time of change, end

    def starts(self) -> dict[str, int]:
        """The first offset of each log. Raises UnreadableInput where files lie, and no segments."""
        return {folder: log.first_offset for folder, log in self.logs().items()}

    def ends(self) -> dict[str, int]:
        """The offset after the last whole batch of each log."""
        return {folder: self._end_of(log) for folder, log in self.logs().items()}

    def logs(self) -> dict[str, GrowingLog]:
        files = find(chosen_paths(self.request.paths))
        names = [file.name for file in files]
        logs: dict[str, GrowingLog] = {}
        for file, replica in sorted(
            zip(files, find_replicas(names), strict=True), key=lambda pair: pair[0].name
        ):
            base, folder = base_offset(file.name), folder_of(file.name)
            if base is None or replica.topic == UNKNOWN_TOPIC or LEFTOVER_FOLDER.search(folder):
                continue
            try:
                segment = InputFile(file.name, str(file.path), file.path.stat().st_size)
            except FileNotFoundError:  # the broker has deleted it
                continue
            logs.setdefault(folder, GrowingLog(replica)).segments[base] = segment
        if files and not logs:
            raise UnreadableInput(
                f"There is no partition folder with log segments below {listed(self.request.paths)}. A stream reads "
                "segments (`TOPIC-PARTITION/00000000000000000000.log`). Load other files with `spark.read`."
            )
        chosen = self.request.selection
        return {folder: log for folder, log in logs.items() if chosen.reads(*log.replica[:2])}

    def tasks(self, start: Offsets, end: Offsets) -> list[tuple[SplitBundle, ReadSelection]]:
        """What reads the offsets from `start` up to and without `end`. Raises UnreadableInput where some are gone."""
        logs = self.logs()
        tasks = []
        for folder, stop in end.items():
            if start.get(folder) == stop:
                continue
            if folder not in logs:
                raise gone(folder, "no longer exists")
            log = logs[folder]
            first = start.get(folder, log.first_offset)
            if stop < first:
                raise gone(folder, f"ends at offset {stop}, and the query has read up to offset {first}")
            if log.first_offset > first:
                raise gone(
                    folder,
                    f"begins at offset {log.first_offset}, and the query has read up to offset {first}",
                )
            selection = self.request.selection.within(first, stop - 1)
            splits = [
                split
                for segment in log.between(first, stop)
                for split in self._splits(segment, log, selection)
            ]
            dialect_ids = self._dialect_ids(log.replica.topic)
            tasks += [(SplitBundle(tuple(bundle), dialect_ids), selection) for bundle in bundles(splits)]
        return tasks

    def _splits(self, segment: InputFile, log: GrowingLog, selection: ReadSelection) -> list[Split]:
        splits = sources()[SEGMENT].split(segment, 0, *log.replica)
        if self.request.table not in OF_RECORDS:
            return splits
        offsets = (max(selection.first_offset, 0), selection.last_offset)
        return [replace(split, detail={**split.detail, "offsets": offsets}) for split in splits]

    def _dialect_ids(self, topic: str) -> dict[str, str]:
        """Not detected: the records of one micro-batch may be too few, or look otherwise than those of the next."""
        read_as = self.request.read_as
        chosen = read_as.get(topic) or read_as.get("")
        return {topic: chosen} if chosen else {}

    def _end_of(self, log: GrowingLog) -> int:
        """Of the last segment, which is read only if it has changed."""
        base = next(reversed(log.segments))
        path = log.segments[base].path
        changed_at = Path(path).stat().st_mtime_ns  # not the size: a segment may be preallocated
        if self._ends.get(path, (0, 0))[0] != changed_at:
            self._ends[path] = changed_at, end_of(path, base)
        return self._ends[path][1]


def end_of(path: str, base_offset: int) -> int:
    """The offset after the last whole batch of a segment. A last batch that fails its checksum is not written yet."""
    file = MappedFile.open(path)
    surveyed = survey(file, base_offset)
    tail = surveyed.damage[-1] if surveyed.damage else None
    readable = tail.position if tail and tail.end == file.data.size else file.data.size
    starts = {*surveyed.borders, *(damaged.end for damaged in surveyed.damage)}
    for start in sorted((start for start in starts if start < readable), reverse=True):
        _, last_batch, before = b.walk(file.data, start, readable, -1, NO_OFFSET)
        if last_batch >= 0 and agrees(file.data, last_batch):
            return int(b.last_offset_of(file.data, last_batch, NO_OFFSET)) + 1
        if before != NO_OFFSET:
            return int(before) + 1
    return base_offset


def gone(folder: str, why: str) -> UnreadableInput:
    return UnreadableInput(
        f"{folder} {why}. Records were deleted before the query read them, or the log was truncated or created again. Start the "
        "query with a new checkpoint."
    )


def require_streamed(request: Request) -> None:
    """Raise UnreadableInput for what a stream cannot read."""
    if request.table not in STREAMED:
        raise UnreadableInput(
            f"The table {request.table} cannot be streamed. Stream one of {listed(STREAMED)}, or load it with `spark.read`."
        )
    if stored := [path for path in request.paths if is_stored(path)]:
        raise UnreadableInput(
            f"{stored[0]} cannot be streamed. Stream a folder, or load the address with `spark.read`."
        )
    if request.table == "entries" and not request.read_as:
        raise UnreadableInput(
            f"A stream does not detect journal types. Set the option dialect to one of {listed(sorted(dialects()))}."
        )
