"""Who may see a report: whoever may see the journal, and nobody else."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.urls import reverse

from webapp.reports.pages import ReportAddress, report_addresses

PARTS = {
    "key_id": "0" * 32,
    "offset": 3,
    "part": "value",
    "file": 0,
    "repair_id": uuid.UUID(int=0),
    "name": "records.bin",
}
OPENED = [address for address in report_addresses().values() if hasattr(address.view, "bare")]
NEED_A_QUERY = {"report-entity", "report-state-branch"}


def url_of(address: ReportAddress, inspection: Any) -> str:
    parts = {name: value for name, value in PARTS.items() if f":{name}>" in address.path}
    return reverse(address.name, kwargs={"inspection_id": inspection.pk, **parts})


@pytest.mark.parametrize("address", OPENED, ids=lambda address: address.name)
def test_a_stranger_gets_404(address: ReportAddress, inspected: Any, stranger: Any, sign_in: Any) -> None:
    assert sign_in(stranger).get(url_of(address, inspected())).status_code == 404


@pytest.mark.parametrize(
    "address",
    [
        address
        for address in OPENED
        if address.name not in NEED_A_QUERY and ("<" not in address.path or "offset" in address.filters)
    ],
    ids=lambda address: address.name,
)
def test_a_viewer_sees_every_page(address: ReportAddress, inspected: Any, viewer: Any, sign_in: Any) -> None:
    assert sign_in(viewer).get(url_of(address, inspected())).status_code == 200


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
