"""Restoring a backup into an empty installation: checked first, bytes before rows, rows in one transaction.

The site is empty until the rows are there, and they are there all at once; what was placed before that is taken away
again when something goes wrong.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from webapp.audit import log
from webapp.journals.disk import durable, storage
from workers.backup import rows
from workers.backup.manifest import BackupManifest, Damaged, Entry

# what somebody made; everything else in a fresh database comes from its migrations
MADE_BY_PEOPLE = (("auth", "User"), ("journals", "Journal"), ("audit", "Event"))
Step = Callable[[], None]


class CannotRestore(Exception):
    """The installation or the backup is not suitable; the text says what to do."""


def restore(folder: Path) -> BackupManifest:
    """Everything or nothing. Raises Damaged and CannotRestore."""
    manifest = BackupManifest.load(folder)
    manifest.check(folder)
    call_command("migrate", interactive=False, verbosity=0)
    require_empty()
    _require_same_tables(manifest)
    placed: list[Step] = []
    try:
        _place(folder, manifest, placed)
        _insert(folder, manifest)
    except BaseException as problem:
        for take_away in reversed(placed):
            take_away()
        if isinstance(problem, OSError):
            raise CannotRestore(f"Nothing was restored: {problem.strerror or problem}.") from problem
        if isinstance(problem, DatabaseError):
            raise CannotRestore(
                f"Nothing was restored: the database rejected a row ({problem})."
            ) from problem
        raise
    return manifest


def require_empty() -> None:
    """Raise for an installation that has been used."""
    for name in MADE_BY_PEOPLE:
        model = apps.get_model(*name)
        count = model._default_manager.count()
        if count:
            noun = model._meta.verbose_name if count == 1 else model._meta.verbose_name_plural
            raise CannotRestore(
                f"This installation is not empty: it has {count:,} {noun}. Restore into a new data folder and a new "
                f"database, before the first start."
            )


def _require_same_tables(manifest: BackupManifest) -> None:
    own = set(rows.migrations())
    unknown, lacking = set(manifest.migrations) - own, own - set(manifest.migrations)
    if unknown or lacking:
        which = f"{len(unknown)} of its migrations are unknown here ({min(unknown)})" if unknown else ""
        which = which or f"it lacks {len(lacking)} migrations that are applied here ({min(lacking)})"
        raise CannotRestore(
            f"The backup was made by another version of Journalscope: {which}. Restore it with the version that made "
            f"it, then update."
        )


def _place(folder: Path, manifest: BackupManifest, placed: list[Step]) -> None:
    for entry in manifest.files:
        kind = entry.path.split("/", 1)[0]
        if kind == "raw":
            _place_raw(folder, entry, placed)
    for source in sorted((folder / "results").iterdir()) if (folder / "results").is_dir() else ():
        _place_results(source, placed)


def _place_raw(folder: Path, entry: Entry, placed: list[Step]) -> None:
    sha256 = entry.path.rsplit("/", 1)[1]
    if storage.exists(sha256):
        return
    placed.append(lambda: storage.remove(sha256))
    # the store links where it can, and a backup must not share its bytes with the store
    scratch = Path(settings.SCRATCH_DIR) / f"restore-{sha256}"
    scratch.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(folder / entry.path, scratch)
        storage.store_copy(scratch, sha256)
    finally:
        scratch.unlink(missing_ok=True)


def _place_results(source: Path, placed: list[Step]) -> None:
    target = Path(settings.RESULTS_DIR) / source.name
    partial = target.with_name(f"{target.name}.partial")
    placed.append(lambda: shutil.rmtree(partial, ignore_errors=True))
    placed.append(lambda: shutil.rmtree(target, ignore_errors=True))
    shutil.rmtree(partial, ignore_errors=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, partial)
    shutil.rmtree(target, ignore_errors=True)
    durable.show(partial, target)


def _insert(folder: Path, manifest: BackupManifest) -> None:
    with transaction.atomic():
        rows.clear()
        for model in rows.stored_models():
            label = model._meta.label_lower
            file = folder / "database" / f"{label}.ndjson"
            count = rows.read(model, file) if file.is_file() else 0
            if count != manifest.rows.get(label, 0):
                raise Damaged(f"{file} holds {count:,} rows instead of {manifest.rows.get(label, 0):,}.")
        connection.check_constraints()
        rows.set_sequences()
        log.record("backup.restored", made_at=manifest.created_at, rows=sum(manifest.rows.values()))
