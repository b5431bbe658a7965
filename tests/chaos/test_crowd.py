"""Thirty people on the site, ten of whom upload, while the worker of inspections is killed: nobody gets an error, nothing is done twice."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.chaos.houses import STUCK_SECONDS, WORKER, before_long, kill, lived_in, states
from tests.generator.apicurio import healthy
from tests.generator.dumps import kcat_base64
from tests.workers.slow_clients import Visitor, ask, upload
from tests.workers.whole_house import OVER, SESSIONS, House, as_uuid

pytestmark = [pytest.mark.slow, pytest.mark.chaos]
PEOPLE, UPLOADERS = 30, 10
PATIENCE_SECONDS = 60  # for one page; only a hang meets it
ACCOUNTS = (
    SESSIONS
    + """
from webapp.accounts import projects
from webapp.accounts.models import Project
for number in range(int(sys.argv[1])):
    user = User.objects.create_user(f"person-{number}", f"person-{number}@example.org")
    projects.add_member(Project.objects.first(), user, "support")
    sign_in(user)
"""
)


@pytest.fixture
def house() -> Iterator[House]:
    with lived_in() as found:
        yield found


def browse(house: House, person: Visitor, is_over: threading.Event) -> Counter[int]:
    """The list of journals, the catalogue and each report of the samples, again and again; the statuses of the answers."""
    inspected = house.ask("select id from journals_inspection where state = 'done'")
    pages = ["/", "/catalogue/", *(f"/inspections/{as_uuid(id)}/report/" for (id,) in inspected)]
    statuses: Counter[int] = Counter()
    while not is_over.is_set():
        for page in pages:
            answer, _ = ask(house.port, "GET", page, person.headers(), seconds=PATIENCE_SECONDS)
            statuses[answer.status] += 1
    return statuses


def test_thirty_people_and_ten_uploads_do_not_notice_a_worker_that_dies(house: House) -> None:
    people = house.visitors(ACCOUNTS, str(PEOPLE))
    before = len(states(house, "journals_inspection"))
    is_over = threading.Event()
    with ThreadPoolExecutor(PEOPLE + UPLOADERS) as pool:
        browsing = [pool.submit(browse, house, person, is_over) for person in people]
        try:
            contents = [kcat_base64(healthy(number + 2)) for number in range(UPLOADERS)]
            uploads = list(pool.map(partial(upload, house.port, seconds=PATIENCE_SECONDS), people, contents))
            before_long(house, lambda: "running" in states(house, "journals_inspection"))
            kill(house, f"{WORKER}inspections")
            before_long(
                house, lambda: all(is_done(house, one) for one in uploads), STUCK_SECONDS * UPLOADERS / 2
            )
        finally:
            is_over.set()
        answers = [person.result() for person in browsing]
    assert [set(statuses) for statuses in answers] == [{200}] * PEOPLE
    assert len(states(house, "journals_inspection")) == before + UPLOADERS


def is_done(house: House, upload_id: str) -> bool:
    """Whether the inspection of its journal is; one that failed ends the test."""
    of_journal = "select state, error from journals_inspection where journal_id in (select journal_id from journals_upload where id = ?)"
    rows = house.ask(of_journal, upload_id)
    assert all((state, error) == ("done", "") for state, error in rows if state in OVER), rows
    return [state for state, _ in rows] == ["done"]
