"""Journals, files and inspections for the tests of their pages."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import redis

from webapp.jobs.queues import QUEUES
from webapp.journals import uploads
from webapp.journals.models import Inspection, Journal, Upload


@pytest.fixture
def make_journal(
    owner: Any, project: Any, house: redis.Redis, django_capture_on_commit_callbacks: Any
) -> Any:
    """A whole journal: `make_journal(owner, {"a.log": b"..."})`. Its inspection is queued."""

    def make(user: Any = owner, files: dict[str, bytes] | None = None, name: str = "") -> Journal:
        files = {"00000000000000000000.log": b"bytes"} if files is None else files
        with django_capture_on_commit_callbacks(execute=True):
            sizes = [(file, len(content)) for file, content in files.items()]
            journal = uploads.announce(user, project, name, sizes)
            for upload in Upload.objects.filter(journal=journal, blob=None):
                uploads.partial_path(upload).write_bytes(files[upload.name])
                uploads.finish(upload)
        journal.refresh_from_db()
        return journal

    return make


@pytest.fixture
def journal(make_journal: Any) -> Journal:
    """A whole journal of the owner."""
    return make_journal()


@pytest.fixture
def inspection(journal: Journal) -> Inspection:
    """Its inspection, queued."""
    return journal.inspections.get()


@pytest.fixture
def done(inspection: Inspection) -> Inspection:
    """The same, finished, with a result folder."""
    inspection.state = Inspection.State.DONE
    inspection.verdict_level, inspection.verdict_sentence = "critical", "1 content is lost."
    inspection.summary = {
        "records": 1234567,
        "layouts": ["Log segment"],
        "dialects": ["Apicurio Registry 2.x"],
    }
    inspection.summary |= {"open_findings": {"critical": 1, "low": 2}}
    inspection.save()
    inspection.results.mkdir(parents=True)
    (inspection.results / "report.json").write_text("{}")
    return inspection


@pytest.fixture
def sent(house: redis.Redis) -> Any:
    """Names and arguments of the tasks in the queue, oldest first."""

    def read() -> list[tuple[str, str]]:
        texts = [text for name in QUEUES for text in reversed(house.lrange(name, 0, -1))]
        messages = [json.loads(text) for text in texts]
        return [(message["headers"]["task"], message["headers"]["argsrepr"]) for message in messages]

    return read


@pytest.fixture
def sha256_of() -> Any:
    """Hex digest of bytes."""
    return lambda content: hashlib.sha256(content).hexdigest()
