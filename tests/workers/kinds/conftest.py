"""Finished inspections of made-up registries, with real result tables, for the jobs that go on from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from spark.sources import InputFile
from spark.stages.older import OlderDump
from spark.tables import Manifest
from tests.generator.apicurio import healthy, incident
from tests.generator.dumps import kcat_base64
from tests.generator.journal import Journal as MadeUpJournal
from webapp.journals import uploads
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Upload
from workers.jobs import spark_runner
from workers.kinds.inspection import summary


@pytest.fixture
def inspected(project: Any, house: Any, tmp_path: Path) -> Callable[..., Inspection]:
    """A finished inspection of a made-up journal, a healthy one or a stage of the incident; its file is stored as an upload
    is. `older`: what the earlier dump of the journal showed; `members` are the journal's."""

    def make(
        stage: str | MadeUpJournal,
        name: str | None = None,
        topic: str = "kafkasql-journal",
        older: Inspection | None = None,
        **members: Any,
    ) -> Inspection:
        title = stage if isinstance(stage, str) else "made-up"
        path = tmp_path / f"{title}.json"
        dump = kcat_base64(made_up(stage))
        path.write_bytes(dump.replace(b'"topic":"kafkasql-journal"', f'"topic":"{topic}"'.encode()))
        sha256, size_bytes = uploads.hash_of(path), path.stat().st_size
        storage.store_copy(path, sha256)
        Blob.objects.get_or_create(sha256=sha256, defaults={"size_bytes": size_bytes})
        journal = Journal.objects.create(**{"project": project, "name": name or title, **members})
        Upload.objects.create(journal=journal, name=path.name, size_bytes=size_bytes, blob_id=sha256)
        inspection = Inspection.objects.create(journal=journal, state="done")
        files = [InputFile(path.name, str(path), size_bytes)]
        dumps = [OlderDump(older.journal.name, older.results)] if older else []
        report = inspect(in_process, files, inspection.results, NoProgress(), Limits(older=dumps))
        inspection.summary = summary(report, Manifest.load(inspection.results).rows["keys"])
        inspection.save(update_fields=["summary"])
        return inspection

    return make


def made_up(stage: Any) -> MadeUpJournal:
    """The journal of a stage."""
    if isinstance(stage, MadeUpJournal):
        return stage
    return healthy(2) if stage == "healthy" else incident(2, stage)


@pytest.fixture
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials run in this process."""
    monkeypatch.setattr(spark_runner, "run", lambda _, attempt: attempt(in_process))
