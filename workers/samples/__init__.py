"""The two journals that the first start brings along, one healthy, one broken; `tests/generator/shipped.py` made them."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from spark.inputs.files_below import NamedFile
from webapp.accounts.models import Project
from webapp.journals import inspections, uploads
from webapp.journals.models import Inspection, Journal, Upload

NAMES = {
    "healthy": "Sample: a healthy Apicurio journal",
    "broken": "Sample: an Apicurio journal that lost a content",
}


def load() -> list[Inspection]:
    """Store the samples as if they had been uploaded, and send their inspections."""
    return [_load(kind) for kind in NAMES]


def _load(kind: str) -> Inspection:
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(Path(__file__).with_name(f"{kind}.zip")) as archive:
            files = [NamedFile(name, Path(archive.extract(name, folder))) for name in archive.namelist()]
        return _store(NAMES[kind], files)


@transaction.atomic
def _store(name: str, files: list[NamedFile]) -> Inspection:
    project = Project.objects.order_by("pk")[0]
    journal = Journal.objects.create(project=project, name=name, is_sample=True, complete_at=timezone.now())
    stored = [_store_file(journal, file) for file in files]
    journal.input_digest = uploads.digest(stored)
    journal.save(update_fields=["input_digest"])
    return inspections.request_inspection(journal, None)


def _store_file(journal: Journal, file: NamedFile) -> tuple[str, str]:
    sha256, size_bytes = uploads.hash_of(file.path), file.path.stat().st_size
    sizes = {"size_bytes": size_bytes, "received_bytes": size_bytes}

    def keep() -> None:
        Upload.objects.create(journal=journal, name=file.name, blob_id=sha256, **sizes)

    uploads.store(file.path, sha256, file.name, keep)
    return file.name, sha256
