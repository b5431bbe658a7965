"""Indexed reports of several journals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.webapp.reports.registry import registry
from webapp.journals.models import Inspection, Journal
from webapp.search.index import index_report


@pytest.fixture
def indexed(project: Any, owner: Any, write_once: Any) -> Callable[..., Inspection]:
    """`indexed("name")`: a journal with a report of a registry, in the index."""

    def make(name: str = "kafkasql-journal", make_results: Any = registry, **members: Any) -> Inspection:
        journal = Journal.objects.create(**{"project": project, "name": name, "created_by": owner, **members})
        inspection = Inspection.objects.create(journal=journal, state="done")
        write_once(make_results, inspection.results)
        index_report(inspection)
        return inspection

    return make
