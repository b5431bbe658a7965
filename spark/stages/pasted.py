"""Pasted: the prints that uploads hold become files of the plan; what stands around them becomes rows of `set_aside`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spark.sources import InputFile, Recognition, Source, sources
from spark.sources._command import columns_in
from spark.sources._not_a_journal.programs import is_program
from spark.sources._transfer import CopyChange
from spark.sources._transfer.restored import WHY, restored_files
from spark.sources._wrapping import Print, Unwrapped, unwrap
from spark.sources._wrapping.columns import TABS
from spark.sources._wrapping.commands import place_in
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.marks import COMMAND
from spark.sources._wrapping.pieces import Aside, asides_of
from spark.sources._wrapping.wraps import JOINED
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.storage.address import is_address
from spark.tables.replica import PartitionReplica

Answer = tuple[Source | None, dict[str, Recognition]]
GUESS_BELOW = 10  # score
MAPPED = ("other-csv", "other-json")  # layouts that columns can be named for
QUOTED = 80  # letters of a row that could not be read
MAX_TEXT = 2_000  # letters of one line that are kept
UNDONE = {
    "prefix": "what stood before each line was taken away",
    "colours": "colours of a terminal were taken away",
    "html": "HTML was read as its text",
    "spaces": "no-break spaces were read as spaces",
    "quotes": "curly quotes were read as straight ones",
    "ticks": "backticks within labels were taken away",
    "marks": "Markdown marks were taken away",
    JOINED: "broken lines were joined",
    TABS: "tabs had become spaces: the columns were found again",
}


@dataclass(frozen=True)
class PlannedFile:
    """A file to plan and the upload that it comes from; the source that reads it, if one does, and what sources answered."""

    file: InputFile
    upload: InputFile
    source: Source | None
    answers: dict[str, Recognition]
    undone: str = ""  # what was undone to get at a print, or at a segment
    changes: tuple[CopyChange, ...] = ()  # that a copy made to a segment
    unread: tuple[
        tuple[int, int, str], ...
    ] = ()  # rows beside a print that could not be read: place, size, text

    @property
    def name(self) -> str:
        """As the user knows it."""
        return self.file.name

    @property
    def is_print(self) -> bool:
        """Whether the file contains lines of an upload."""
        return self.file.path != self.upload.path and not self.changes

    def is_of(self, *kinds: str) -> bool:
        return self.source is not None and self.source.kind in kinds


@dataclass
class Pasted:
    """The files to plan, and rows of the lines set aside."""

    files: list[PlannedFile] = field(default_factory=list)
    set_aside: list[dict[str, Any]] = field(default_factory=list)

    def take(self, upload: InputFile, unwrapped: Unwrapped, answers: Sequence[Answer]) -> None:
        """An upload's prints, in order."""
        asides = list(unwrapped.asides)
        is_any = any(source for source, _ in answers)
        first = len(self.files)
        for printed, answer in zip(unwrapped.prints, answers, strict=True):
            if is_any and not answer[0]:
                asides += asides_of(printed.lines)
                continue
            undone = "; ".join(words for name, words in UNDONE.items() if name in printed.undone)
            self.files.append(PlannedFile(printed.file, upload, *answer, undone))
        self.take_unread(first, unwrapped)
        self.take_asides(first, upload, asides)

    def take_unread(self, first: int, unwrapped: Unwrapped) -> None:
        """Lines that begin as a record does belong to the export before them, or to the first."""
        starts = [printed.lines[0].start for printed in unwrapped.prints if printed.lines]
        if len(starts) != len(self.files) - first:
            return
        exports = [number for number in range(len(starts)) if self.files[first + number].is_of("export")]
        rows = defaultdict(list)
        for aside in (aside for aside in unwrapped.asides if exports and aside.is_row):
            before = [number for number in exports if starts[number] < aside.line.start]
            rows[before[-1] if before else exports[0]].append(unread_row(aside.line))
        for number, unread in rows.items():
            self.files[first + number] = replace(self.files[first + number], unread=tuple(unread))

    def take_asides(self, first: int, upload: InputFile, asides: Sequence[Aside]) -> None:
        """Lines of an upload that are none's; `first`: number of its first file."""
        self.set_aside += [
            row_of(first, upload, aside) for aside in sorted(asides, key=lambda aside: aside.line.start)
        ]

    def take_restored(
        self, upload: InputFile, number: int, folder: Path | None, answers: Sequence[Answer]
    ) -> bool:
        """Whether an upload is a segment that a copy changed, which is then planned as it was before."""
        if any(is_sure(answer) for answer in answers):
            return False
        segment = answers[0][1].get("log-segment") if len(answers) == 1 else None
        restored, asides = restored_files(upload, number, folder, segment)
        first = len(self.files)
        for segment_file in restored:
            answer = sources()["log-segment"], {"log-segment": Recognition(True, WHY, 90)}
            self.files.append(
                PlannedFile(segment_file.file, upload, *answer, segment_file.undone, segment_file.changes)
            )
        self.take_asides(first, upload, asides)
        return bool(restored)


def opened(
    inputs: Sequence[InputFile], folder: Path | None, recognise: Callable[[InputFile], Answer]
) -> Pasted:
    """The prints of all uploads, recognised. Among other files, code and texts without a print are left as they are."""
    pasted = Pasted()
    is_alone = len(inputs) == 1
    for number, file in enumerate(inputs):
        if not is_alone and is_program(file.name):
            pasted.files.append(PlannedFile(file, file, None, {}))
            continue
        is_as_it_is = is_of_a_log(file, recognise) or is_mapped(file, recognise)
        unwrapped = Unwrapped([Print(file)]) if is_as_it_is else unwrap(file, number, folder)
        answers = [recognise(printed.file) for printed in unwrapped.prints]
        if not unwrapped.is_whole and not any(source for source, _ in answers):
            whole = recognise(file)
            has_command = any(aside.kind == COMMAND for aside in unwrapped.asides)
            if (whole[0] and not has_command) or not is_alone:
                unwrapped, answers = Unwrapped([Print(file)]), [whole]
        if is_companion(file) or not pasted.take_restored(file, number, folder, answers):
            pasted.take(file, unwrapped, answers)
    return pasted


def is_sure(answer: Answer) -> bool:
    """Whether an export or a companion is recognised, and not by guess: then it is no segment that a copy changed."""
    source, answers = answer
    return source is not None and source.kind != "segment" and answers[source.id].score >= GUESS_BELOW


def is_of_a_log(file: InputFile, recognise: Callable[[InputFile], Answer]) -> bool:
    """A broker's file, known by its name; in a store, where each look costs a request, a segment, too."""
    if is_companion(file):
        return True
    source = recognise(file)[0] if is_address(file.path) else None
    return source is not None and source.kind == "segment"


def is_mapped(file: InputFile, recognise: Callable[[InputFile], Answer]) -> bool:
    """Whether a user named columns that the file has: then all of it is their table."""
    source = recognise(file)[0] if columns_in(file.command) else None
    return source is not None and source.id in MAPPED


def is_companion(file: InputFile) -> bool:
    """A file beside segments, known by its name."""
    return sources()["companion"].recognise(file, b"").matches


def named_by_command(file: InputFile, replica: PartitionReplica) -> PartitionReplica:
    """The topic and partition that the command names, or the topic of a heading; they go before the name of a folder."""
    topic, partition = place_in(file.command) if file.command else (None, None)
    topic = topic or file.heading or None
    if topic is None:
        return replica
    number = replica.partition if replica.topic in {topic, UNKNOWN_TOPIC} else 0
    return replica._replace(topic=topic, partition=number if partition is None else partition)


def unread_row(line: UploadLine) -> tuple[int, int, str]:
    return line.start, line.end - line.start, line.text.decode(errors="replace").strip()[:QUOTED]


def row_of(file: int, upload: InputFile, aside: Aside) -> dict[str, Any]:
    return {
        "file": file,
        "name": upload.name,
        "line": aside.line.number,
        "position": aside.line.start,
        "size_bytes": aside.line.end - aside.line.start,
        "kind": aside.kind_by_marks,
        "records": aside.records,
        "text": aside.line.text.decode(errors="replace")[:MAX_TEXT],
    }
