"""A data folder of an earlier state starts under today's code: docs/upgrading.md.

earlier_folders/NAME.zip: what `make run` of that state left in its folder (without what it makes anew) of one dump of `incident(5, "lost")`, with
a confirmed finding, a share link and a second user; `truth.json` names them. before-incidents: the first state after the migrations were
squashed. before-search: before the search and reviews of incidents.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workers.slow_clients import ask
from tests.workers.whole_house import OVER, ROOT, House, launch, start, stop, until

pytestmark = pytest.mark.slow
FOLDERS = sorted(Path(__file__).parent.joinpath("earlier_folders").glob("*.zip"))
TABS = ("", "keys/", "records/", "records/6/", "timeline/", "state/", "repair/", "files/", "profile/")
INSPECT_AGAIN = """
import sys, django
django.setup()
from webapp.journals.inspections import request_inspection
from webapp.journals.models import Journal
print(request_inspection(Journal.objects.get(), None).pk.hex)
"""
IS_PASSWORD = """
import django
django.setup()
from django.contrib.auth import authenticate
user = authenticate(username="second", password="a long pass phrase")
print(user, *(membership.role for membership in user.memberships.all()))
"""


def unpacked(state: Path) -> tuple[Path, dict[str, Any]]:
    """The folder, at a path short enough for a socket, and what is known about it."""
    data = Path(tempfile.mkdtemp(prefix="js-"))
    shutil.unpack_archive(state, data)
    for part in (data / "data").iterdir():
        part.rename(data / part.name)
    return data, json.loads((data / "truth.json").read_text())


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda path: path.stem)
def upgraded(request: pytest.FixtureRequest) -> Iterator[tuple[House, dict[str, Any]]]:
    data, truth = unpacked(request.param)
    house = start(data)
    assert house.process
    yield house, truth
    stop(house, house.process.pid)


def status(house: House, path: str, headers: dict[str, str]) -> tuple[int, str]:
    """And the page."""
    answer, body = ask(house.port, "GET", path, headers, seconds=60)
    return answer.status, body.decode()


def test_journals_reports_and_decisions_are_there(upgraded: tuple[House, dict[str, Any]]) -> None:
    house, truth = upgraded
    headers = house.visitor().headers()
    assert "orders of the shop" in status(house, "/", headers)[1]
    report = f"/inspections/{truth['inspection']}/report/"
    assert {tab: status(house, report + tab, headers)[0] for tab in TABS} == dict.fromkeys(TABS, 200)
    assert house.ask("select verdict_sentence from journals_inspection") == [(truth["verdict"],)]
    code, page = status(house, f"/review/{truth['finding']}/", headers)
    assert (code, "Known since the upgrade of March" in page, "confirmed" in page.lower()) == (
        200,
        True,
        True,
    )


def test_links_passwords_and_the_audit_log_hold(upgraded: tuple[House, dict[str, Any]]) -> None:
    house, truth = upgraded
    code, page = status(house, f"/s/{truth['token']}/", {})
    assert (code, "Shared by second" in page, "cannot be read" in page) == (200, True, True)
    assert house.python(IS_PASSWORD) == ["second", "reviewer"]
    command = [sys.executable, "manage.py", "verify_audit"]
    assert subprocess.run(command, cwd=ROOT, env=house.environment, check=False).returncode == 0


def test_the_dump_is_inspected_again(upgraded: tuple[House, dict[str, Any]]) -> None:
    house, truth = upgraded
    (id,) = house.python(INSPECT_AGAIN)
    until(lambda: house.state(id) in OVER, 300)
    assert house.row(id) == ("done", 1, "")
    assert house.ask("select state from review_finding where id = ?", str(truth["finding"])) == [
        ("confirmed",)
    ]


def test_a_folder_that_a_newer_version_used_is_refused_unchanged() -> None:
    data, _ = unpacked(FOLDERS[0])
    path = data / "journalscope.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute(
            "insert into django_migrations (app, name, applied) values ('review', '9999_later', '2099-01-01')"
        )
    database.close()
    before = path.read_bytes()
    house = launch(data)
    assert house.process
    try:
        assert house.process.wait(60) == 1
        assert "does not know, such as review.9999_later" in house.said[-1]
        assert "docs/upgrading.md" in house.said[-1]
        assert path.read_bytes() == before
    finally:
        stop(house, house.process.pid)
