"""Plan: recognise each file, name its topic and partition, cut it into splits, find each topic's dialect.

Runs on the driver and reads only heads, batch headers and small samples.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spark.dialects import Match, dialects
from spark.sources import HEAD_BYTES, LACKS, InputFile, Split, sources
from spark.sources._cutting import Cutter, RecognisedFile, cut_here
from spark.sources._grammar.declared_tables import shows_fault
from spark.sources._transfer.restored import change_rows
from spark.sources.companion.names import MAX_OFFSET, file_name
from spark.sources.log_segment.recognise import recognise_within
from spark.stages.buckets import NO_BUCKETS, buckets_for, bundles
from spark.stages.copies import copies
from spark.stages.nameless import with_names
from spark.stages.overlaps import without_prints_of_segments
from spark.stages.partition_folders import (
    LEFTOVER_FOLDER,
    OF_THE_BROKER,
    UNKNOWN_TOPIC,
    clusters_of,
    copies_beside,
    find_replicas,
    folder_of,
    is_in_partition_folder,
    notes_on_clusters,
)
from spark.stages.pasted import GUESS_BELOW, Answer, PlannedFile, named_by_command, opened
from spark.stages.samples import samples
from spark.stages.unread import error_about, left_out
from spark.storage.address import is_address
from spark.storage.files import open_binary
from spark.tables.key_index import Buckets
from spark.tables.replica import PartitionReplica
from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed

SEGMENT_NAME = re.compile(r"^(\d{20})\.", re.ASCII)
REQUESTS_AT_ONCE = 32  # to a store
NO_LOG = "; its partition's folder contains no segment (.log)"
CHOSEN = "A user selected this journal type."
SEGMENT_HEAD_BYTES = 4096  # of a file of a log; a batch that is longer is looked at in the file
SURE = 90  # score of an answer that no other source can better: a name and a checksum agree


@dataclass(frozen=True)
class InspectionPlan:
    """What is to be read: one row of `files` per file, splits in file order, topic -> (dialect id, match).

    `runners_up`: the dialect that fitted next best, or, where a user chose another, the one that fitted best.
    `set_aside`, `copy_changes`: rows of those tables, the lines of pasted texts that are no print's, and what copies did to
    segments. `uploads`: of each file, the upload that it comes from. `bundles`: the splits of each decode task; `buckets`:
    of the key index, one for each relate task.
    """

    files: list[dict[str, Any]] = field(default_factory=list)
    splits: list[Split] = field(default_factory=list)
    dialects: dict[str, tuple[str, Match]] = field(default_factory=dict)
    runners_up: dict[str, tuple[str, Match]] = field(default_factory=dict)
    set_aside: list[dict[str, Any]] = field(default_factory=list)
    copy_changes: list[dict[str, Any]] = field(default_factory=list)
    uploads: list[InputFile] = field(default_factory=list)
    bundles: list[list[Split]] = field(default_factory=list)
    buckets: Buckets = NO_BUCKETS

    @property
    def dialect_ids(self) -> dict[str, str]:
        """By topic, of the topics that a sample showed."""
        return {topic: dialect_id for topic, (dialect_id, _) in self.dialects.items()}

    def dialect_of(self, topic: str) -> tuple[str, Match]:
        """Id and match; a topic that no sample showed is plain."""
        return self.dialects.get(topic, ("plain", Match(0, "Its records are not among the samples.")))

    def in_tasks(self) -> InspectionPlan:
        """The plan with its splits dealt out to tasks, as for an input of which nothing was read before."""
        return replace(self, bundles=bundles(self.splits), buckets=buckets_for(self.splits))


def plan_inputs(
    inputs: Sequence[InputFile],
    detail: dict[str, object],
    read_as: Mapping[str, str] | None = None,
    scratch: Path | None = None,
    reads: Callable[[str, int], bool] | None = None,
    cut: Cutter = cut_here,
) -> InspectionPlan:
    """Plan an inspection. `detail` (limits) is handed to every split; `read_as` is what the user chose: topic ("": every
    topic) -> dialect id. Prints of pasted texts are written below `scratch`; without it texts are read as they are.
    `reads`: topic and partition -> whether their segments are read at all; without it all are. `cut` makes the splits.
    Raises UnreadableInput if nothing is known, or no such dialect.
    """
    check_choice(read_as or {})
    pasted = opened(inputs, scratch, recognised_ahead(inputs))
    files = without_prints_of_segments(without_guesses(pasted.files))
    names = [file.name for file in files]
    clusters = clusters_of([file.file for file in files])
    replicas = find_replicas(names, clusters)
    replicas = [named_by_command(file.file, replica) for file, replica in zip(files, replicas, strict=True)]
    beside = copies_beside(names, replicas)
    replicas = apart(files, replicas)
    notes = notes_on_clusters(names, clusters)
    rows = [file_row(number, *each) for number, each in enumerate(zip(files, replicas, notes, strict=True))]
    without_log = partitions_without_log(rows)
    for row in rows:
        if (row["topic"], row["partition"]) in without_log:
            row["note"] += NO_LOG
    is_read = any(file.is_of("segment", "export") or is_faulty_print(file) for file in files)
    if not is_read and not without_log:
        raise error_about(files, rows)
    due = [
        RecognisedFile(number, file.file, file.source.id, *replica)
        for number, (file, replica) in enumerate(zip(files, replicas, strict=True))
        if file.source
        and (reads is None or not file.is_of("segment") or reads(replica.topic, replica.partition))
    ]
    splits = with_names(
        [
            replace(
                split,
                detail={**split.detail, **detail, **detail_of(files[recognised.number], beside, count == 0)},
            )
            for recognised, parts in zip(due, cut(due), strict=True)
            for count, split in enumerate(parts)
        ]
    )
    name_files(rows, splits)
    for split in splits:
        rows[split.file]["cannot_tell"] = [LACKS[lack] for lack in sorted(split.lacks)]
    changes = [
        row
        for number, (file, replica) in enumerate(zip(files, replicas, strict=True))
        for row in change_rows(number, file.upload.name, replica, file.changes)
    ]
    uploads = [file.upload for file in files]
    matched = find_dialects(splits, read_as or {})
    return InspectionPlan(rows, splits, *matched, pasted.set_aside, changes, uploads)


def is_faulty_print(file: PlannedFile) -> bool:
    """Whether it is a tool's output that shows a fault of the cluster: a report says so without a journal."""
    return file.source is not None and shows_fault(file.source.id, file.file.path, file.file.size_bytes)


def partitions_without_log(rows: Iterable[Mapping[str, Any]]) -> set[tuple[str, int]]:
    """Topic and partition of folders that contain companion files and no log. `rows`: of the table `files`."""
    kinds: dict[tuple[str, int], set[str]] = defaultdict(set)
    for row in rows:
        if row["topic"] != UNKNOWN_TOPIC and not LEFTOVER_FOLDER.search(folder_of(row["name"])):
            kinds[row["topic"], row["partition"]].add(row["layout"] or row["kind"])
    return {partition for partition, layouts in kinds.items() if layouts == {"companion"}}


def name_files(rows: list[dict[str, Any]], splits: Iterable[Split]) -> None:
    """Rows of `files` of exports that are copies of a partition, by that partition's name."""
    for split in splits:
        row = rows[split.file]
        if row["topic"] == UNKNOWN_TOPIC and split.topic != UNKNOWN_TOPIC:
            row |= {"topic": split.topic, "partition": split.partition}
            row["note"] += f"; names no topic: its records are those of {split.topic}-{split.partition}"


def detail_of(file: PlannedFile, beside: dict[str, dict[str, str]], is_first: bool) -> dict[str, object]:
    """What splits of a file say besides: of a print that was written anew, so that places are mapped back; of a broker's
    checkpoint and the manifest of a capture, the copies that they speak of; the first, rows beside the print that could not be read."""
    is_above = file.source is not None and file.source.id == "capture-manifest"
    is_above = is_above or file_name(file.name) in OF_THE_BROKER
    replicas = {"replicas": beside.get(folder_of(file.name), {})} if is_above else {}
    unread = {"unread": [*file.unread]} if file.unread and is_first else {}
    return {**replicas, **unread, **({"is_written": True} if file.is_print else {})}


def without_guesses(files: Sequence[PlannedFile]) -> list[PlannedFile]:
    """A layout that is only guessed counts where no journal of the input is recognised for sure."""
    is_sure = any(file.is_of("segment", "export") and not is_guess(file) for file in files)
    return [replace(file, source=None) if is_sure and is_guess(file) else file for file in files]


def is_guess(file: PlannedFile) -> bool:
    """Whether the layout is one that fits a lot."""
    return file.source is not None and file.answers[file.source.id].score < GUESS_BELOW


def recognised_ahead(inputs: Sequence[InputFile]) -> Callable[[InputFile], Answer]:
    """`recognise`; files in stores are asked for side by side, because each is a request to wait for."""
    stored = [file for file in inputs if is_address(file.path)]
    if not stored:
        return recognise
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        answers = dict(zip(stored, pool.map(recognise, stored), strict=True))
    return lambda file: answers.get(file) or recognise(file)


def recognise(file: InputFile) -> Answer:
    """The source that fits best, and what every source answered that was asked.

    The files of a log are asked for first: they are many, and where name and bytes agree nothing else can be meant.
    """
    companion = sources()["companion"].recognise(file, b"")
    if companion.matches:
        return sources()["companion"], {"companion": companion}
    with open_binary(file.path, SEGMENT_HEAD_BYTES) as stream:
        head = stream.read(SEGMENT_HEAD_BYTES)
        segment = sources()["log-segment"].recognise(file, head)
        if segment.matches and segment.score >= SURE:
            return sources()["log-segment"], {"log-segment": segment}
        head += stream.read(HEAD_BYTES - len(head))
    segment = sources()["log-segment"].recognise(file, head)
    tried = {"companion": companion, "log-segment": segment}
    answers = {name: tried.get(name) or source.recognise(file, head) for name, source in sources().items()}
    matching = [name for name, answer in answers.items() if answer.matches]
    best = max(matching, key=lambda name: answers[name].score, default=None)
    if file.size_bytes and (best is None or answers[best].score < GUESS_BELOW):
        within = recognise_within(file, is_in_partition_folder(file.name))
        if within.matches:
            best, answers["log-segment"] = "log-segment", within
    return (sources()[best] if best else None), answers


def apart(files: Sequence[PlannedFile], replicas: Sequence[PartitionReplica]) -> list[PartitionReplica]:
    """Exports of the same records are copies, and so is one beside segments or an export of another layout."""
    layouts = {file.source.id for file in files if file.source and file.is_of("segment", "export")}
    exports = {file.name: file.source for file in files if file.source and file.is_of("export")}
    with_offsets = {name for name, source in exports.items() if "offset" not in source.lacks}
    same = copies([file.file for file in files if file.name in with_offsets])
    names = {name: source.title for name, source in exports.items()} if len(layouts) > 1 else {}
    names |= {name: name for name in same if sum(exports[other] is exports[name] for other in same) > 1}
    return [
        replica._replace(replica=names.get(file.name, replica.replica))
        for file, replica in zip(files, replicas, strict=True)
    ]


def file_row(number: int, file: PlannedFile, replica: PartitionReplica, note: str) -> dict[str, Any]:
    source = file.source
    base = SEGMENT_NAME.match(file_name(file.name))
    notes = [file.answers[source.id].why, file.undone] if source else [left_out(file.file, file.answers)]
    return {
        "file": number,
        "name": file.name,
        "sha256": file.file.sha256,
        "kind": source.kind if source else "ignored",
        "layout": source.id if source else None,
        "layout_title": source.title if source else None,
        **replica._asdict(),
        "base_offset": int(base[1]) if base and int(base[1]) <= MAX_OFFSET else None,
        "size_bytes": file.upload.size_bytes,
        "cannot_tell": [LACKS[lack] for lack in sorted(source.lacks)] if source else [],
        "note": "; ".join(filter(None, [*notes, note])),
    }


def check_choice(read_as: Mapping[str, str]) -> None:
    """Raise UnreadableInput when the user chose what is not there."""
    for name in read_as.values():
        if name not in dialects():
            raise UnreadableInput(
                f"There is no journal type {name!r}. Journal types: {listed(sorted(dialects()))}."
            )


def find_dialects(
    splits: list[Split], read_as: Mapping[str, str]
) -> tuple[dict[str, tuple[str, Match]], dict[str, tuple[str, Match]]]:
    """Ask every dialect about samples of each topic: the best match wins, unless the user chose; and the next best."""
    matched, runners_up = {}, {}
    for topic, sample in samples(splits).items():
        matches = {name: dialect.sniff(topic, sample) for name, dialect in dialects().items()}
        best, second, *_ = sorted(matches, key=lambda name: -matches[name].score)
        chosen = read_as.get(topic) or read_as.get("")
        if chosen and chosen != best:
            matched[topic] = chosen, Match(matches[chosen].score, CHOSEN)
            runners_up[topic] = best, matches[best]
        else:
            matched[topic], runners_up[topic] = (best, matches[best]), (second, matches[second])
    return matched, runners_up
