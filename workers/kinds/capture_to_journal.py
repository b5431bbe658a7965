"""From a capture's folder to a journal: its rows, its files in the store, its manifest."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.db import transaction

from webapp.clusters.captures import earlier_journal
from webapp.clusters.models import Capture
from webapp.jobs.lifecycle import held
from webapp.journals import uploads
from webapp.journals.models import Upload
from webapp.rejected import Rejected
from workers.capture.manifest import NAME, CaptureManifest
from workers.capture.segments import SegmentWriter
from workers.jobs.progress import LeaseLost
from workers.kinds.previous_segments import carried, goes_on

MERGED = ".merged.json"  # the manifest of what was carried over and what is new


def cut(capture: Capture) -> None:
    """What an attempt that broke off wrote after its last checkpoint may end in the middle of a batch."""
    manifest = CaptureManifest.load(capture.folder)
    for partition in manifest.partitions if manifest else ():
        with suppress(OSError, ValueError):  # kept as it is; the inspection says what is damaged
            whole_bytes = partition.got.size_bytes
            SegmentWriter(capture.folder, capture.topic, partition.partition, partition.segments, whole_bytes)


def begin_journal(capture: Capture) -> bool:
    """Rows of the journal and its files; False where not one batch was captured. Raises Rejected, RecaptureNeeded."""
    manifest = manifest_of(capture.folder)
    older = carried(capture, manifest) if manifest and goes_on(capture) else None
    files = [
        (path.relative_to(capture.folder).as_posix(), path.stat().st_size)
        for path in sorted(capture.folder.rglob("*"))
        if path.is_file() and path.suffix in {".log", ".json"} and path.name != MERGED
    ]
    size_bytes = sum(size for _, size in files)
    if not any(name.endswith(".log") and size for name, size in files):
        return False
    with transaction.atomic():
        if not held(capture).update(size_bytes=0):  # from here on its files count
            raise LeaseLost
        name = f"{capture.topic} of {capture.cluster_name}"
        if older:
            manifest, manifest_bytes = older.manifest, older.write_manifest(capture.folder / MERGED)
            files = [(file, manifest_bytes if file == NAME else size) for file, size in files]
        journal = uploads.announce(
            capture.requested_by, capture.project, name, files, earlier_journal(capture)
        )
        if older:
            older.add_to(journal)
        if capture.watch:
            journal.lineage = capture.watch.lineage
            journal.save(update_fields=["lineage"])
        capture.journal, capture.size_bytes = journal, size_bytes
        held(capture).update(journal=journal, size_bytes=size_bytes, manifest=manifest, wish=capture.wish)
    return True


def store(capture: Capture, upload: Upload) -> None:
    """One file into the content store; with the last, the inspection starts. Raises Rejected where it is gone."""
    merged = capture.folder / MERGED
    path = merged if upload.name == NAME and merged.exists() else capture.folder / upload.name
    if not path.exists():
        raise Rejected(f"{upload.name} is no longer on this server's disk. Capture the topic again.", 409)
    uploads.store_file(upload, path)
    path.unlink()


def manifest_of(folder: Path) -> dict[str, Any] | None:
    """What the engine wrote, as it stands; nothing before it began."""
    path = folder / NAME
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
