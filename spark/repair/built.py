"""What a repair was built from, written beside its files: `repair.json` and, one line a record of the dump, `built-from.tsv`.

    line   => offset TAB key TAB record         hashes, as their first 16 hexadecimal digits
    key    => SHA-256 of: length:int64 key                                   big-endian; -1 and nothing: null
    record => SHA-256 of: key_length:int64 key value_length:int64 value

ApplyRepair.java, beside it, compares the topic with it before it writes anything; `manage.py repair --check DUMP` a dump.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark.repair.envelopes import Written
from spark.repair.journal import PartitionJournal
from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from spark.terms.wording import at_offsets, plural

SCHEMA = 2
NAME = "repair.json"
DUMP = "built-from.tsv"
PROGRAM = "ApplyRepair.java"
HASH_DIGITS = 16
AGAIN = "Stop every registry that writes to the topic, take a new dump and build the repair again."

DumpedRecords = dict[int, tuple[str, str]]  # hashes of key and record by offset


@dataclass(frozen=True)
class DumpComparison:
    """A dump beside the one that a repair was built from. `differences`: why the repair must not be applied, as sentences.
    `cleaned`: offsets that the log cleaner has removed since. `applied`: offsets of the repair's own records, in order."""

    differences: tuple[str, ...] = ()
    cleaned: tuple[int, ...] = ()
    applied: tuple[int, ...] = ()


def write_manifest(
    folder: Path,
    journal: PartitionJournal,
    repair: str,
    topic: str,
    new_topic: str,
    written: Mapping[str, Written],
    losses: int,
) -> None:
    """The manifest, the records of the dump, and the program that applies the repair. `repair`: the id in the headers of its
    records; `losses`: after how many of them the journal would lack something if no more were written."""
    ways: dict[str, dict[str, Any]] = {
        way: {
            "file": files.name, "records": files.records, "sha256": files.sha256,
            "largest_record_bytes": files.largest_record_bytes,
        }
        for way, files in written.items()
    }  # fmt: skip
    if "copy" in ways:
        ways["copy"]["new_topic"] = new_topic
    if "append" in ways:
        ways["append"]["losses"] = losses
    document = {
        "schema": SCHEMA,
        "id": repair,
        "topic": topic,
        "partition": journal.replica.partition,
        "built_from": write_dump(folder, journal),
        "ways": ways,
    }
    (folder / NAME).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name(PROGRAM), folder / PROGRAM)


def write_dump(folder: Path, journal: PartitionJournal) -> dict[str, Any]:
    """The records of the dump in their file, and what identifies them."""
    digest, count = hashlib.sha256(), 0
    with (folder / DUMP).open("wb") as file:
        for offset, key, record in dumped(journal):
            line = f"{offset}\t{key}\t{record}\n".encode()
            digest.update(line)
            file.write(line)
            count += 1
    return {"end_offset": journal.end_offset(), "records": count, "file": DUMP, "sha256": digest.hexdigest()}


def dumped(journal: PartitionJournal) -> Iterator[tuple[int, str, str]]:
    """Offset, hash of the key and hash of the record of each data record."""
    for record in journal.all_records():
        yield record.offset, short_hash(record.key), short_hash(record.key, record.value)


def short_hash(*parts: bytes | None) -> str:
    """The first digits of the SHA-256 of parts with their lengths."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update((-1 if part is None else len(part)).to_bytes(8, "big", signed=True))
        digest.update(part or b"")
    return digest.hexdigest()[:HASH_DIGITS]


def manifest_folder(folder: Path) -> Path:
    """The folder itself, or the one folder of a partition below it. Raises UnreadableInput where there are several."""
    folders = (
        [folder] if (folder / NAME).is_file() else sorted(path.parent for path in folder.glob(f"*/{NAME}"))
    )
    if len(folders) > 1:
        raise UnreadableInput(f"{folder} has repairs of {len(folders)} partitions. Name the folder of one.")
    return folders[0] if folders else folder


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder, or in the one folder of a partition below it. Raises UnreadableInput where there is none."""
    own_folder = manifest_folder(folder)
    try:
        document = json.loads((own_folder / NAME).read_text(encoding="utf-8"))
        if document["schema"] == SCHEMA and document["built_from"]:
            return dict(document)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise UnreadableInput(
        f"{folder} has no {NAME} of a repair that this release built. Name the folder that {COMMAND_NAME} repair --out wrote, or build "
        "the repair again."
    )


def read_dump(folder: Path, manifest: Mapping[str, Any]) -> DumpedRecords:
    """The records that a repair was built from. Raises UnreadableInput where their file is gone or another one."""
    path = manifest_folder(folder) / str(manifest["built_from"]["file"])
    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != manifest["built_from"]["sha256"]:
        raise UnreadableInput(
            f"{path} is missing, or is not the file that the repair was built with. Copy the repair's folder again, with all its "
            "files."
        )
    rows = (line.split("\t") for line in content.decode().splitlines())
    return {int(offset): (key, record) for offset, key, record in rows}


def compared(folder: Path, manifest: Mapping[str, Any], journal: PartitionJournal) -> DumpComparison:
    """A dump beside the one that a repair was built from. Raises UnreadableInput."""
    was, end = read_dump(folder, manifest), int(manifest["built_from"]["end_offset"])
    if journal.end_offset() < end:
        return DumpComparison(
            (
                f"This dump ends at offset {journal.end_offset()}. The dump that the repair was built from ends at {end}. Dump "
                "the whole topic, or build the repair again from this dump.",
            )
        )
    now = {offset: (key, record) for offset, key, record in dumped(journal) if offset < end}
    changed = sorted(offset for offset in now if now[offset] != was.get(offset))
    last = {key: offset for offset, (key, _) in now.items()}
    gone = sorted(was.keys() - now.keys())
    lost = [offset for offset in gone if last.get(was[offset][0], -1) < offset]
    applied = applied_records(folder, manifest, journal)
    rows = [*different_records(changed, lost), *records_behind(manifest, journal, applied)]
    return DumpComparison(tuple(rows), () if lost else tuple(gone), applied)


def different_records(changed: Sequence[int], lost: Sequence[int]) -> Iterator[str]:
    """Records that are others, and records that are gone with no later one of their key."""
    if changed:
        yield f"This dump has another record at {at_offsets(changed)}: it is not of the topic of the repair. {AGAIN}"
    if lost:
        yield f"This dump has no record at {at_offsets(lost)} and no later one of the same key. {AGAIN}"


def records_behind(
    manifest: Mapping[str, Any], journal: PartitionJournal, applied: Sequence[int]
) -> Iterator[str]:
    """What the topic has behind the end of the dump."""
    end = int(manifest["built_from"]["end_offset"])
    total = manifest["ways"]["append"]["records"] if applied else 0
    if applied and len(applied) < total:
        yield (
            f"The repair is unfinished: {len(applied)} of its {plural(total, 'record')} are at {at_offsets(applied)}. Start no registry. "
            f"Run `{PROGRAM} resume-append` in its folder, or build a repair from this dump with --applied."
        )
    elif applied:
        yield f"The repair is applied: its {plural(total, 'record')} are at {at_offsets(applied)}. Do not append them again."
    elif journal.end_offset() > end:
        more = plural(journal.end_offset() - end, "offset")
        yield f"The topic has {more} more than the dump that the repair was built from, starting at offset {end}. {AGAIN}"


def applied_records(folder: Path, manifest: Mapping[str, Any], journal: PartitionJournal) -> tuple[int, ...]:
    """Offsets of the repair's own records behind the dump, by key, value and order: their headers may be lost."""
    way = manifest["ways"].get("append")
    path = manifest_folder(folder) / str(way["file"]) if way else folder
    if not path.is_file():
        return ()
    written = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    records = [(decoded(line["key"]), decoded(line["value"])) for line in written]
    offsets: list[int] = []
    for record in journal.all_records(int(manifest["built_from"]["end_offset"])):
        if len(offsets) < len(records) and (record.key, record.value) == records[len(offsets)]:
            offsets.append(record.offset)
    return tuple(offsets)


def decoded(text: str | None) -> bytes | None:
    """Bytes of a base64 text; null stays null."""
    return None if text is None else base64.b64decode(text)
