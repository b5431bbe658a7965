"""Making a backup while the site runs: into a folder that gets its name when it is whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone
from redis.exceptions import RedisError

from webapp.audit import chain, log, spool
from webapp.journals.disk import durable, storage
from webapp.journals.models import Blob
from webapp.journals.uploads import hash_of
from workers.backup import rows
from workers.backup.manifest import BackupManifest, Entry, copy

SNAPSHOTS = 3  # when files vanish between the rows and their bytes
Say = Callable[[str], None]


class CannotBackUp(Exception):
    """The folder cannot be written; the text says what to do."""


def make(folder: Path, say: Say) -> BackupManifest:
    """Write the backup; `say` gets a sentence for each problem."""
    if folder.exists():
        raise CannotBackUp(f"{folder} already exists. Name a new folder.")
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        manifest = _Making(partial, say).manifest()
        manifest.save(partial)
        durable.show(partial, folder)
    except OSError as problem:
        raise CannotBackUp(
            f"{folder} cannot be written: {problem.strerror}. Name another folder."
        ) from problem
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    log.record("backup.made", files=len(manifest.files), size_bytes=sum(e.size_bytes for e in manifest.files))
    return manifest


class _Making:
    def __init__(self, folder: Path, say: Say) -> None:
        self.folder, self.say = folder, say
        self.copied: dict[str, list[Entry]] = {}  # blob or result folder -> its files
        self.vanished: set[str] = set()
        self.rows: dict[str, int] = {}

    def manifest(self) -> BackupManifest:
        with suppress(RedisError):  # what the audit log still waits for
            spool.bring_in()
        chain.seal(look_back=None)
        self._copy(self._named_now())
        for _ in range(SNAPSHOTS):
            named = self._take_rows()
            self.vanished = set()
            self._copy(named - set(self.copied))
            if not self.vanished:
                break
        self._drop(set(self.copied) - named)
        return self._described(named)

    def _take_rows(self) -> set[str]:
        """Write all tables of one snapshot; returns the files they refer to."""
        shutil.rmtree(self.folder / "database", ignore_errors=True)
        (self.folder / "database").mkdir()
        with rows.snapshot():
            self.migrations = rows.migrations()
            for model in rows.stored_models():
                label = model._meta.label_lower
                self.rows[label] = rows.write(model, self.folder / "database" / f"{label}.ndjson")
            return self._named_now()

    def _named_now(self) -> set[str]:
        """`raw/<sha256>` of all blobs, `results/<id>` of all folders that are whole and belong to a row."""
        blobs = {f"raw/{sha256}" for sha256 in Blob.objects.values_list("pk", flat=True)}
        copied = {name.removeprefix("results/") for name in self.copied}
        return blobs | {f"results/{name}" for name in (_result_folders() | copied) & _run_ids()}

    def _copy(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            kind, _, identity = name.partition("/")
            try:
                self.copied[name] = self._raw(identity) if kind == "raw" else self._results(identity)
            except FileNotFoundError:
                self._drop([name])
                self.vanished.add(name)

    def _raw(self, sha256: str) -> list[Entry]:
        target = self.folder / "raw" / sha256[:2] / sha256
        if storage.is_remote():
            target.parent.mkdir(parents=True, exist_ok=True)
            storage.fetch(sha256, target.parent)
            entry = Entry(str(target), target.stat().st_size, hash_of(target))
        else:
            entry = copy(storage.fetch(sha256, target.parent), target)
        if entry.sha256 != sha256:
            self.say(
                f"The stored bytes {sha256} are damaged: their hash differs. The backup contains them unchanged."
            )
        return [entry]

    def _results(self, name: str) -> list[Entry]:
        source = Path(settings.RESULTS_DIR) / name
        files = _files(source)
        target = self.folder / "results" / name
        entries = [copy(path, target / path.relative_to(source)) for path in files]
        if not files or files != _files(source):  # it is being deleted
            raise FileNotFoundError(name)
        return entries

    def _drop(self, names: Iterable[str]) -> None:
        for name in list(names):
            kind, _, identity = name.partition("/")
            self.copied.pop(name, None)
            if kind == "raw":
                (self.folder / "raw" / identity[:2] / identity).unlink(missing_ok=True)
            else:
                shutil.rmtree(self.folder / "results" / identity, ignore_errors=True)

    def _described(self, named: set[str]) -> BackupManifest:
        missing = sorted(named - set(self.copied))
        for name in missing:
            self.say(f"{name} is in the database but not on disk. The backup does not contain it.")
        tables = [
            Entry(str(path), path.stat().st_size, hash_of(path))
            for path in (self.folder / "database").iterdir()
        ]
        files = [*tables, *(entry for entries in self.copied.values() for entry in entries)]
        for entry in files:
            entry.path = Path(entry.path).relative_to(self.folder).as_posix()
        return BackupManifest(
            created_at=timezone.now().isoformat(),
            database=connection.vendor,
            migrations=self.migrations,
            rows=self.rows,
            files=sorted(files, key=lambda entry: entry.path),
            missing=missing,
        )


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _result_folders() -> set[str]:
    folder = Path(settings.RESULTS_DIR)
    return {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else set()


def _run_ids() -> set[str]:
    """Ids of all jobs that may have results."""
    from django.apps import apps

    named = [("journals", "Inspection"), ("journals", "Repair"), ("sharing", "Share")]
    models = [apps.get_model(*name) for name in named]
    return {str(pk) for model in models for pk in model._default_manager.values_list("pk", flat=True)}
