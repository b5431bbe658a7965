"""The audit log takes rows and gives none back changed."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import RequestFactory

from webapp.audit import log
from webapp.audit.models import Event


def test_an_event_keeps_names_beside_ids(owner: Any, project: Any) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.7")
    request.user = owner
    log.record("project.renamed", request=request, project_id=project.pk, target=project, was="Old")
    event = Event.objects.get()
    assert (event.actor_id, event.actor_name, event.address) == (owner.pk, "owner", "192.0.2.7")
    assert (event.target_kind, event.target_id, event.target_name) == ("project", str(project.pk), "Default")
    assert event.detail == {"was": "Old"}


def test_the_system_acts_without_a_name(db: None) -> None:
    log.record("retention.ran")
    assert (Event.objects.get().actor_id, Event.objects.get().actor_name) == (None, "")


def test_the_database_refuses_to_change_or_delete_an_event(db: None) -> None:
    log.record("retention.ran")
    for attempt in (lambda: Event.objects.update(action="nothing"), lambda: Event.objects.all().delete()):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            attempt()
    assert Event.objects.get().action == "retention.ran"
