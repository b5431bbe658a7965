"""The five sample journals, loaded on demand; `tests/generator/shipped.py` made them.

Each answers a question that an engineer comes with. They are marked as samples, and all of a project leave together.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.journals import deletion, inspections, uploads
from webapp.journals.access import can_delete, journals_for_user
from webapp.journals.models import Inspection, Journal, Upload


class SampleJournal(NamedTuple):
    """`question`: what an engineer with such a journal asks; `about`: what the files are."""

    kind: str
    name: str
    question: str
    about: str


SAMPLES = (
    SampleJournal(
        "broken",
        "Sample: an Apicurio journal that lost a content",
        "Our registry answers 404 since a restart.",
        "Apicurio Registry, 265 records, segments of a broker",
    ),
    SampleJournal(
        "at-risk",
        "Sample: an Apicurio journal at risk",
        "We upgraded the registry. Is it safe to restart it?",
        "Apicurio Registry, before compaction",
    ),
    SampleJournal(
        "hanging",
        "Sample: a topic with a hanging transaction",
        "Consumers stopped, but producers still write.",
        "Transactions of two producers, one segment",
    ),
    SampleJournal(
        "corrupt",
        "Sample: a topic with a corrupt batch",
        "A consumer fails at the same offset every time.",
        "Plain topic, one segment",
    ),
    SampleJournal(
        "healthy",
        "Sample: a healthy Apicurio journal",
        "We restored a backup. Is the journal complete?",
        "Apicurio Registry, 243 records, segments of a broker",
    ),
)


def find(kind: str) -> SampleJournal | None:
    return next((sample for sample in SAMPLES if sample.kind == kind), None)


def load(sample: SampleJournal, project: Project, user: Any = None) -> Inspection:
    """The newest inspection of the sample in the project; stored and inspected now if it is not there. Raises Rejected."""
    loaded = Inspection.objects.filter(
        journal__project=project, journal__is_sample=True, journal__name=sample.name
    )
    if newest := loaded.order_by("-created_at").first():
        return newest
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(Path(__file__).with_name(f"{sample.kind}.zip")) as archive:
            files = [(name, Path(archive.extract(name, folder))) for name in archive.namelist()]
        return store(sample.name, files, project, user)


@transaction.atomic
def store(name: str, files: Sequence[tuple[str, Path]], project: Project, user: Any = None) -> Inspection:
    """Store files as if they had been uploaded, and send the inspection. Raises Rejected."""
    journal = Journal.objects.create(
        project=project, name=name, is_sample=True, complete_at=timezone.now(), created_by=user
    )
    stored = [_store_file(journal, file, path) for file, path in files]
    journal.input_digest = uploads.digest(stored)
    journal.save(update_fields=["input_digest"])
    return inspections.request_inspection(journal, user)


def _store_file(journal: Journal, name: str, path: Path) -> tuple[str, str]:
    sha256, size_bytes = uploads.hash_of(path), path.stat().st_size
    sizes = {"size_bytes": size_bytes, "received_bytes": size_bytes}

    def keep() -> None:
        Upload.objects.create(journal=journal, name=name, blob_id=sha256, **sizes)

    uploads.store(path, sha256, name, keep)
    return name, sha256


def removable(user: Any) -> list[Journal]:
    """Samples that the user may delete."""
    samples = journals_for_user(user).filter(is_sample=True, is_on_hold=False).select_related("project")
    return [journal for journal in samples if can_delete(user, journal)]


def remove_all(user: Any) -> int:
    """Delete them; how many there were. Raises Rejected while one is being inspected."""
    samples = removable(user)
    for journal in samples:
        deletion.delete_journal(journal)
    return len(samples)
