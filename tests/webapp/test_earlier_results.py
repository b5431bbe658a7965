"""Results that earlier states of the project wrote are shown by today's pages, API and exports.

earlier_results/NAME.zip: what `manage.py inspect --out` of that state left of `incident(5, "lost")`: before jobs had leases, when migrations
were squashed, and before reports had incidents. Their databases: test_earlier_database.py.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.reports.conftest import get, inspected
from tests.webapp.reports.test_content_limits import PAGES

__all__ = ["get", "inspected"]
pytestmark = pytest.mark.django_db
STATES = sorted(Path(__file__).parent.joinpath("earlier_results").glob("*.zip"))
API = ("report/", "records/", "records/6/", "keys/")


def unpacked(state: Path) -> Callable[[Path], Path]:
    """Results of the state."""

    def make(folder: Path) -> Path:
        shutil.unpack_archive(state, folder)
        return folder

    return make


@pytest.mark.parametrize("state", STATES, ids=lambda path: path.stem)
def test_every_page_and_answer_opens(state: Path, inspected: Any, owner: Any, sign_in: Any) -> None:
    inspection, client = inspected(unpacked(state)), sign_in(owner)
    answers = {path: client.get(f"/inspections/{inspection.pk}/report/{path}").status_code for path in PAGES}
    answers |= {path: client.get(f"/api/v1/inspections/{inspection.pk}/{path}").status_code for path in API}
    assert {path: status for path, status in answers.items() if status != 200} == {}


@pytest.mark.parametrize("state", STATES, ids=lambda path: path.stem)
def test_what_was_found_is_said(state: Path, inspected: Any, get: Any) -> None:
    page = get(inspected(unpacked(state)), "report-overview").content.decode()
    assert "order.proto" in page
    assert "Critical" in page
    page = get(inspected(unpacked(state)), "report-timeline-figure")
    assert page.status_code == 200
