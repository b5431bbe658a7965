"""What is said of files that no layout recognised: what they are, what to send instead, what was tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark.sources import HEAD_BYTES, InputFile, Recognition, sources
from spark.sources._columns.question import question_on, question_on_format
from spark.sources._grammar.declared_tables import TOOL_PRINTS
from spark.sources._lines.lines import is_utf_16, text_of_head
from spark.sources._not_a_journal import identify, identify_by_content
from spark.sources._not_a_journal.folders import identify_folder
from spark.sources._not_a_journal.letters import of_sentences
from spark.sources._not_a_journal.nearest import NEAREST, nearest
from spark.sources._not_a_journal.place import place_in
from spark.sources._not_a_journal.words import Identified, dump, dump_command
from spark.sources.kcat_format import likely_format
from spark.stages.overlaps import SEGMENTS_INSTEAD
from spark.stages.pasted import PlannedFile
from spark.storage.files import open_binary
from spark.terms.errors import UnknownColumns, UnreadableInput
from spark.terms.wording import plural

SCHEMA_LAYOUTS = {"avro-schema", "protobuf-descriptors"}
MANIFEST = "capture-manifest"
FILES_NAMED = 20  # that are looked at for what they are


def left_out(file: InputFile, answers: dict[str, Recognition]) -> str:
    """One line: the kind of file, or the nearest layouts with the reason why each does not match."""
    if SEGMENTS_INSTEAD in answers:
        return f"left out: {answers[SEGMENTS_INSTEAD].why}"
    head = head_of(file)
    if identity := identify(file, head):
        return f"left out: it is {identity.description} and {identity.holds}"
    if question := question_on(file, head):
        return f"left out: {question['sentence']}"
    if identity := sentences_in(file):
        return f"left out: it is {identity.description} and {identity.holds}"
    tried = "; ".join(f"{sources()[name].title}: {answers[name].why}" for name in nearest(answers, head))
    return f"unknown file format, left out: {tried}"


def error_about(files: Sequence[PlannedFile], rows: list[dict[str, Any]]) -> UnreadableInput:
    """The error for an input of which no file can be read: a question about columns, if that would help; else a message."""
    if not any(file.source for file in files):
        for file in files[:FILES_NAMED]:
            head = head_of(file.file)
            if identify_by_content(file.file, head):
                continue
            question = question_on(file.file, head, file.upload.name)
            if question and (question["is_sure"] or identify(file.file, head) is None):
                return UnknownColumns(question | {"format": likely_format(file.file, head)})
            if (text := likely_format(file.file, head)) and identity_of(file) is None:
                return UnknownColumns(question_on_format(file.file, text))
    return UnreadableInput(nothing_recognised(files, rows), place_of(files))


def place_of(files: Sequence[PlannedFile]) -> dict[str, Any] | None:
    """Where reading of the file stopped that the message is about; None if no file has bytes that were not recognised."""
    full = [file for file in files if file.source is None and file.file.size_bytes]
    if not full:
        return None
    file, _ = file_named(full)
    head = head_of(file.file)
    nearest_layout = next(
        (name for name in nearest(file.answers, head) if not file.answers[name].matches), None
    )
    return place_in(file.name, head, file.answers[nearest_layout].why if nearest_layout else "")


def nothing_recognised(files: Sequence[PlannedFile], rows: list[dict[str, Any]]) -> str:
    """The message for an input of which no file can be read; `rows`: of the table `files`."""
    tried = [file for file in files if file.source is None]
    # Prints of tools, which tell something of a journal.
    prints = [file for file in files if file.source and file.source.id in TOOL_PRINTS]
    if not rows:
        return "There is no file to inspect: the folder or archive is empty. Add a dump, a log segment, a partition folder or an archive of them."
    full = [file for file in tried if file.file.size_bytes]
    if tried and not full and not prints:
        name = tried[0].name if len(tried) == 1 else f"Each of the {len(tried)} files"
        return f"{name} is empty (0 bytes). Make the dump again, and check whether its tool reports an error: {dump_command()}."
    if not tried and not prints:
        names = ", ".join(row["name"] for row in rows[:3]) + (", …" if len(rows) > 3 else "")
        if MANIFEST in {row["layout"] for row in rows}:
            return (
                f"The input contains a capture's manifest ({names}) but no segment. The capture got no record, or its segments were left "
                "out. Upload the whole folder of the capture, or capture the topic again."
            )
        if {row["layout"] for row in rows} <= SCHEMA_LAYOUTS:
            return (
                f"The input contains only {'a schema' if len(rows) == 1 else 'schemas'} ({names}), no journal. Upload the schemas together "
                "with a dump of the topic, its *.log segments, or an archive of the partition folder."
            )
        return f"The input contains only companion files of a log ({names}), no log segment or dump. Add the *.log files."
    return named_or_tried([*prints, *full])


def named_or_tried(files: Sequence[PlannedFile]) -> str:
    """The folder, or the first file, that is known to be something else, by its name; else what was tried with the first."""
    count = len({file.upload.path for file in files}) - 1
    if len(files) > 1 and (folder := identify_folder([file.name for file in files])):
        name, program = folder
        return program.sentence(name)
    file, identity = file_named(files)
    verb = "is" if count == 1 else "are"
    others = f" {plural(count, 'more file')} {verb} also not a dump or log segment." if count else ""
    is_only_part = [planned.upload.path for planned in files].count(file.upload.path) == 1
    name = file.name if is_only_part else file.upload.name
    unknown = f"Unknown file format: {name} is not a known journal dump or log segment."
    if identity := identity or sentences_in(file.file):
        return f"{identity.sentence(file.name)}{others}"
    return f"{unknown}{others} Send {dump()}.{what_was_tried(file.answers, head_of(file.file))}"


def file_named(files: Sequence[PlannedFile]) -> tuple[PlannedFile, Identified | None]:
    """The first file that is known to be something else, by content that only tools write before all others, or the first."""
    identities = [identity_of(file) for file in files[:FILES_NAMED]]
    identified = [number for number, identity in enumerate(identities) if identity]
    certain = (
        number
        for number in identified
        if identify_by_content(files[number].file, head_of(files[number].file))
    )
    number = next(certain, identified[0] if identified else 0)
    first = identities[number]
    if first and not first.also:  # another output of the same tool may say more
        same = (
            other
            for other in identified
            if (identity := identities[other]) and identity.description == first.description and identity.also
        )
        number = next(same, number)
    return files[number], identities[number]


def identity_of(file: PlannedFile) -> Identified | None:
    """The kind of file, judged by its lines of an upload, else by the whole upload; None if it is unknown. A stack trace is a
    part of the log around it."""
    identity = identify(file.file, head_of(file.file))
    if file.is_print and (identity is None or identity.is_part):
        return identify(file.upload, head_of(file.upload)) or identity
    return identity


def sentences_in(file: InputFile) -> Identified | None:
    """Of a text that is nothing else."""
    head = head_of(file)
    is_text = b"\0" not in head[:1024] or is_utf_16(head)
    return of_sentences(text_of_head(head)) if is_text else None


def what_was_tried(answers: dict[str, Recognition], head: bytes) -> str:
    """Every layout with its reason, the nearest first."""
    ids = [name for name in nearest(answers, head) if not answers[name].matches]
    lines = [f"\n- {sources()[name].title}: {answers[name].why}" for name in ids]
    others = f"\n{len(lines) - NEAREST} more:" if len(lines) > NEAREST else ""
    checked = f"{''.join(lines[:NEAREST])}{others}{''.join(lines[NEAREST:])}"
    return f"\n\nFormats checked:{checked}" if lines else ""


def head_of(file: InputFile) -> bytes:
    with open_binary(file.path) as stream:
        return stream.read(HEAD_BYTES)
