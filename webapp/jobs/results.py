"""Where the result of a job is: a folder of this machine, or, with RESULTS_URL, the files of one attempt in a store.

    <RESULTS_URL>/<job>/committed.json      {"attempt": LEASE, "size_bytes": N}, written last: what it does not name does not count
    <RESULTS_URL>/<job>/<lease>/...         the files of an attempt

A folder that is there goes before the store: reports from before RESULTS_URL was set stay readable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings

from spark.storage.copies import local_path
from spark.storage.files import listed_folders
from spark.storage.stored_path import ResultPath, StoredPath, remove_tree, write_whole

COMMITTED = "committed.json"
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NONE = "none"  # no attempt's name: nothing is below it


def folder_of(job_id: object) -> Path:
    """On the local disk."""
    return Path(settings.RESULTS_DIR) / str(job_id)


def stored_folder_of(job_id: object) -> StoredPath | None:
    """For all attempts of a job; None if results are local."""
    return StoredPath(settings.RESULTS_URL) / str(job_id) if settings.RESULTS_URL else None


def results_of(job_id: object) -> ResultPath:
    """Published result; a folder without files if there is none. Raises OSError if the store is unavailable."""
    folder, stored = folder_of(job_id), stored_folder_of(job_id)
    if stored is None or folder.is_dir():
        return folder
    return stored / str(committed(stored).get("attempt", NONE))


def committed(stored: StoredPath) -> dict[str, Any]:
    """The content of committed.json; empty if there is none."""
    try:
        document: dict[str, Any] = json.loads((stored / COMMITTED).read_text())
    except FileNotFoundError:
        return {}
    return document


def commit(stored: StoredPath, attempt: str, size_bytes: int) -> None:
    """Publish the files of this attempt as the job's result."""
    write_whole(stored / COMMITTED, json.dumps({"attempt": attempt, "size_bytes": size_bytes}))


def remove_other_attempts(stored: StoredPath, attempt: str) -> None:
    """Delete files that earlier attempts left in the store; errors are ignored."""
    with suppress(OSError):
        for other in listed_folders(str(stored)):
            if other != attempt:
                remove_tree(stored / other)


def stored_names() -> set[str]:
    """Ids of jobs with files in the store or in its local cache. Raises OSError with the address."""
    copies = local_path(settings.RESULTS_URL)
    copied = {path.name for path in copies.iterdir()} if copies.is_dir() else set[str]()
    return {name for name in {*listed_folders(settings.RESULTS_URL), *copied} if ID.fullmatch(name)}


def remove_stored(names: Collection[str]) -> None:
    """Delete the files of these jobs; errors are ignored."""
    for name in names:
        remove_tree(StoredPath(settings.RESULTS_URL) / name)
