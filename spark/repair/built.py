"""What a repair was built from, written beside its files: `repair.json`. A topic that has changed since is told by it.

    last_record_sha256 => SHA-256 of: key_length:int64 key value_length:int64 value     big-endian; -1 and nothing: null

ApplyRepair.java, beside it, reads it before it writes anything; `manage.py repair --check DUMP` compares a dump.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark.repair.envelopes import Written
from spark.repair.journal import PartitionJournal, StoredRecord
from spark.terms.errors import UnreadableInput
from spark.terms.wording import plural

SCHEMA = 1
NAME = "repair.json"
PROGRAM = "ApplyRepair.java"
AGAIN = "Stop every registry that writes to the topic, take a new dump and build the repair again."


def write_manifest(
    folder: Path, journal: PartitionJournal, topic: str, new_topic: str, written: Mapping[str, Written]
) -> None:
    """`repair.json` and the program that applies the repair."""
    ways = {
        way: {
            "file": files.name, "records": files.records, "sha256": files.sha256,
            "largest_record_bytes": files.largest_record_bytes,
        }
        for way, files in written.items()
    }  # fmt: skip
    if "copy" in ways:
        ways["copy"]["new_topic"] = new_topic
    document = {
        "schema": SCHEMA,
        "topic": topic,
        "partition": journal.replica.partition,
        "built_from": built_from(journal),
        "ways": ways,
    }
    (folder / NAME).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name(PROGRAM), folder / PROGRAM)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder, or in the one folder of a partition below it. Raises UnreadableInput where there is none."""
    files = [folder / NAME] if (folder / NAME).is_file() else sorted(folder.glob(f"*/{NAME}"))
    if len(files) > 1:
        raise UnreadableInput(f"{folder} has repairs of {len(files)} partitions. Name the folder of one.")
    try:
        document = json.loads(files[0].read_text(encoding="utf-8"))
        if document["schema"] == SCHEMA and document["built_from"]:
            return dict(document)
    except (IndexError, OSError, ValueError, KeyError, TypeError):
        pass
    raise UnreadableInput(
        f"{folder} has no {NAME} of a repair. Name the folder that manage.py repair --out wrote."
    )


def built_from(journal: PartitionJournal) -> dict[str, Any]:
    """What identifies the journal at the time of its dump."""
    last = journal.last_record()
    return {
        "end_offset": journal.end_offset(),
        "records": journal.count(),
        "last_offset": last.offset if last else None,
        "last_record_sha256": record_hash(last) if last else None,
    }


def record_hash(record: StoredRecord) -> str:
    """SHA-256 of key and value."""
    digest = hashlib.sha256()
    for part in (record.key, record.value):
        digest.update((-1 if part is None else len(part)).to_bytes(8, "big", signed=True))
        digest.update(part or b"")
    return digest.hexdigest()


def differences(manifest: Mapping[str, Any], journal: PartitionJournal) -> list[str]:
    """How a dump differs from the one that a repair was built from, as sentences; empty: the repair still fits."""
    was, now = manifest["built_from"], built_from(journal)
    if now["end_offset"] > was["end_offset"]:
        more = plural(now["end_offset"] - was["end_offset"], "offset")
        return [
            f"The topic has {more} more than the dump that the repair was built from, starting at offset {was['end_offset']}. {AGAIN}"
        ]
    if now["end_offset"] < was["end_offset"]:
        return [
            f"This dump ends at offset {now['end_offset']}. The dump that the repair was built from ends at {was['end_offset']}. Dump the "
            "whole topic, or build the repair again from this dump."
        ]
    rows = []
    if now["last_record_sha256"] != was["last_record_sha256"]:
        rows.append(
            f"The record at offset {was['last_offset']} differs: this is not the topic of the repair. {AGAIN}"
        )
    elif now["records"] != was["records"]:
        rows.append(
            f"The topic has {plural(now['records'], 'record')}. The repair was built from {was['records']}. Compaction has removed some "
            f"since then. {AGAIN}"
        )
    return rows
