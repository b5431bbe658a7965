"""Who may see a report: whoever may see the journal, and nobody else."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.urls import reverse

PAGES = {
    "report-overview": (),
    "report-strip-figure": (),
    "report-timeline": (),
    "report-timeline-figure": (),
    "report-keys": (),
    "report-key": ("0" * 32,),
    "report-records": (),
    "report-record": (10,),
    "report-record-bytes": (3, "value"),
    "report-files": (),
    "report-state": (),
    "report-entity": (),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_stranger_gets_404(name: str, inspected: Any, stranger: Any, sign_in: Any) -> None:
    url = reverse(name, args=[inspected().id, *PAGES[name]])
    assert sign_in(stranger).get(url).status_code == 404


@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("report-key", "report-entity")])
def test_a_viewer_sees_every_page(name: str, inspected: Any, viewer: Any, sign_in: Any) -> None:
    assert sign_in(viewer).get(reverse(name, args=[inspected().id, *PAGES[name]])).status_code == 200


def test_an_inspection_that_does_not_exist_is_404(owner: Any, sign_in: Any) -> None:
    assert sign_in(owner).get(reverse("report-overview", args=[uuid.uuid4()])).status_code == 404


def test_who_is_not_signed_in_is_asked_to(inspected: Any, client: Any) -> None:
    response = client.get(reverse("report-overview", args=[inspected().id]))
    assert response.status_code == 302
    assert "login" in response["Location"]


def test_an_inspection_that_runs_shows_its_progress_instead(inspected: Any, get: Any) -> None:
    inspection = inspected(state="running")
    response = get(inspection, "report-overview")
    assert response.status_code == 302
    assert response["Location"] == reverse("inspection", args=[inspection.id])


def test_a_result_folder_that_is_gone_is_said_with_the_next_step(inspected: Any, get: Any) -> None:
    response = get(inspected(lambda folder: folder), "report-overview")
    assert response.status_code == 410
    assert b"inspect the journal again" in response.content


def test_a_partition_that_is_not_there_is_404(inspected: Any, get: Any) -> None:
    response = get(inspected(), "report-overview", topic="another")
    assert response.status_code == 404
