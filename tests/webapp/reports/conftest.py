"""An inspection that is done, with a result folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.reports.result_folder import incident

MakeResults = Callable[[Path], Path]


@pytest.fixture
def inspected(project: Any, owner: Any, settings: Any, write_once: Any) -> Callable[..., Any]:
    """`inspected(make)` is an inspection in state done; `make(folder)` writes its results (the incident if absent)."""
    from webapp.journals.models import Inspection, Journal

    def inspect(make: MakeResults = incident, **members: Any) -> Any:
        journal = Journal.objects.create(
            project=project, name="kafkasql-journal", ticket="TICKET-1", created_by=owner
        )
        inspection = Inspection.objects.create(
            journal=journal, requested_by=owner, **{"state": "done", **members}
        )
        write_once(make, inspection.results)
        return inspection

    return inspect


@pytest.fixture
def get(owner: Any, sign_in: Any) -> Callable[..., Any]:
    """`get(inspection, "report-keys", sort="key")`: the page as the owner sees it."""
    from django.urls import reverse

    client = sign_in(owner)

    def get_page(
        inspection: Any, name: str, *args: Any, headers: dict[str, str] | None = None, **query: Any
    ) -> Any:
        return client.get(reverse(name, args=[inspection.id, *args]), query, headers=headers or {})

    return get_page
