"""A data folder of an earlier state starts under today's code: docs/upgrading.md.

earlier_folders/NAME.tar.xz: what `make run` of that state left in its folder (without what it makes anew): a dump of `incident(5, "lost")` with its
report, an inspection of it that the stop interrupted, a confirmed finding with a comment, a share link, a second user with a token and a saved filter,
a cluster that is watched, and a webhook; `truth.json` names them. The states before a schema changed, from the first after the migrations
were squashed: before-incidents (whose database still lists the squashed ones), before-single-jobs, before-search, before-saved-record-filters,
before-groups (and webhooks' services and tickets), and before-keys-by-name, which has a comparison too. earlier_folder.py makes one.
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
FOLDERS = sorted(Path(__file__).parent.joinpath("earlier_folders").glob("*.tar.xz"))
OFTEN = ("before-incidents", "before-keys-by-name")  # rows are rewritten since; the others are long
TABS = ("", "keys/", "records/", "records/6/", "timeline/", "state/", "repair/", "files/", "profile/")
KEPT = """
import django
django.setup()
from django.contrib.auth import authenticate
from webapp.clusters.models import Cluster, Watch
from webapp.notifications.models import Channel
from webapp.review.models import SavedFilter
user = authenticate(username="second", password="a long pass phrase")
channel = Channel.objects.get()
print(user, *(f"{membership.project.slug}:{membership.role}" for membership in user.memberships.all()), sep=", ")
print(Cluster.objects.get().secrets["password"], Watch.objects.get().topic, Watch.objects.get().is_on, sep=", ")
print(channel.address, channel.service, channel.secret, SavedFilter.objects.get(), sep=", ")
"""
IS_KEPT = """
second, default:reviewer
of the cluster, kafkasql-journal, False
https://hooks.example.org/journals, journalscope, of the webhook, critical ones
"""
SCHEMA = """
import json, django
django.setup()
from django.core.management import call_command
from django.db import connection
from tests.webapp.test_earlier_database import schema
call_command("migrate", verbosity=0)
print(json.dumps(schema(connection)))
"""


def unpacked(state: Path) -> tuple[Path, dict[str, Any]]:
    """The folder, at a path short enough for a socket, and what is known about it."""
    data = Path(tempfile.mkdtemp(prefix="js-"))
    shutil.unpack_archive(state, data, filter="data")
    for part in (data / "data").iterdir():
        part.rename(data / part.name)
    return data, json.loads((data / "truth.json").read_text())


def as_parameter(path: Path) -> Any:
    name = path.name.partition(".")[0]
    return pytest.param(path, id=name, marks=[] if name in OFTEN else [pytest.mark.long])


@pytest.fixture(scope="module", params=map(as_parameter, FOLDERS))
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
    hexadecimal = truth["inspection"].replace("-", "")
    sentence = house.ask("select verdict_sentence from journals_inspection where id = ?", hexadecimal)
    assert sentence == [(truth["verdict"],)]
    code, page = status(house, f"/review/{truth['finding']}/", headers)
    assert (code, "confirmed" in page.lower()) == (200, True)
    assert "Known since the upgrade of March" in page
    assert "The dump was taken after the restart" in page


def test_links_tokens_and_the_audit_log_hold(upgraded: tuple[House, dict[str, Any]]) -> None:
    house, truth = upgraded
    code, page = status(house, f"/s/{truth['token']}/", {})
    assert (code, "Shared by second" in page, "cannot be read" in page) == (200, True, True)
    code, answer = status(house, "/api/v1/journals/", {"Authorization": f"Bearer {truth['api_token']}"})
    assert (code, "orders of the shop" in answer) == (200, True)
    command = [sys.executable, "manage.py", "verify_audit"]
    assert subprocess.run(command, cwd=ROOT, env=house.environment, check=False).returncode == 0


def test_passwords_and_secrets_are_read(upgraded: tuple[House, dict[str, Any]]) -> None:
    assert upgraded[0].python(KEPT) == IS_KEPT.split()


def test_the_schema_is_that_of_a_new_database(upgraded: tuple[House, dict[str, Any]], tmp_path: Path) -> None:
    house, _ = upgraded
    new = House(tmp_path, house.environment | {"JOURNALSCOPE_DATA": str(tmp_path)})
    assert house.python(SCHEMA) == new.python(SCHEMA)


def test_what_was_interrupted_is_inspected(upgraded: tuple[House, dict[str, Any]]) -> None:
    """By this version, which also indexes its names for the search; the decision about the finding stays."""
    house, truth = upgraded
    id = truth["interrupted"].replace("-", "")
    until(lambda: house.state(id) in OVER, 600)
    assert house.row(id)[::2] == ("done", "")
    finding = "select state from review_finding where id = ?"
    assert house.ask(finding, str(truth["finding"])) == [("confirmed",)]
    until(lambda: house.ask("select inspection_id from search_indexedreport") == [(id,)], 100)


def test_a_comparison_is_made_again(upgraded: tuple[House, dict[str, Any]]) -> None:
    """Earlier ones called an entity lost that had been deleted; their page offers to compare."""
    assert upgraded[0].ask("select count(*) from journals_comparison") == [(0,)]


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
