"""A journal deleted on the running site while pages, links, exports and inspections of it run: told as deleted, never an error."""

from __future__ import annotations

import http.client
import io
import itertools
import json
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.workers.slow_clients import Visitor, ask
from tests.workers.whole_house import OVER, SEND, House, as_uuid, running, until

pytestmark = [pytest.mark.slow, pytest.mark.long]
HANGS = 600.0  # seconds; what takes so long on the busiest machine never comes
ROUNDS = 5
PAGES = ("", "records/", "keys/", "timeline/", "state/", "log/", "files/", "transactions/")
LINK = {"names": "on", "days": "30", "audience": "link", "fields_masked": "", "patterns": ""}


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with running() as found:
        yield found


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Large enough that its export is on its way for a while."""
    file = tmp_path / "orders.json"
    rows = ({"offset": offset, "key": f"k{offset % 500}", "payload": "x" * 200} for offset in range(60_000))
    file.write_text(json.dumps(list(rows)))
    return file


def posted(house: House, visitor: Visitor, path: str, fields: dict[str, str]) -> tuple[int, str]:
    headers = visitor.headers() | {"Content-Type": "application/x-www-form-urlencoded"}
    answer, _ = ask(house.port, "POST", path, headers, urlencode(fields).encode(), seconds=HANGS)
    return answer.status, answer.headers.get("Content-Type", "")


def got(house: House, visitor: Visitor, path: str) -> tuple[int, str]:
    answer, body = ask(house.port, "GET", path, visitor.headers(), seconds=HANGS)
    if answer.status == 200 and "/export/" in path:
        names = zipfile.ZipFile(io.BytesIO(body)).namelist()
        assert {"README.txt", "INCOMPLETE.txt"} & set(names), names
    return answer.status, answer.headers.get("Content-Type", "")


@pytest.mark.parametrize("number", range(ROUNDS))
def test_what_is_deleted_while_it_is_used_is_told_as_deleted(
    house: House, journal: Path, number: int
) -> None:
    (row,) = house.python(SEND, str(journal))
    until(lambda: house.state(row) in OVER, HANGS)
    assert house.state(row) == "done"
    visitor, inspection = house.visitor(), as_uuid(row)
    report = f"/inspections/{inspection}/report/"
    ((journal_row,),) = house.ask("select journal_id from journals_inspection where id = ?", row)
    uses: dict[str, Callable[[], tuple[int, str]]] = {
        **{f"page {page}": lambda page=page: got(house, visitor, report + page) for page in PAGES},  # type: ignore[misc]
        "export csv": lambda: got(house, visitor, f"{report}records/export/csv/"),
        "export ndjson": lambda: got(house, visitor, f"{report}records/export/ndjson/"),
        "link": lambda: posted(house, visitor, f"/inspections/{inspection}/share/?what=report", LINK),
        "inspect": lambda: posted(
            house, visitor, f"/journals/{as_uuid(str(journal_row).replace('-', ''))}/inspect/", {}
        ),
        "api report": lambda: got(house, visitor, f"/api/v1/inspections/{inspection}/report/"),
        "api records": lambda: got(house, visitor, f"/api/v1/inspections/{inspection}/records/"),
    }
    answers: list[tuple[str, int, str]] = []
    broken: list[tuple[str, BaseException]] = []
    is_over = threading.Event()

    def use(name: str, once: Callable[[], tuple[int, str]]) -> None:
        """An inspection is asked for a few times only: a journal that is inspected is not deleted."""
        times = itertools.count()
        while not is_over.is_set() and (name != "inspect" or next(times) < 3):
            try:
                answers.append((name, *once()))
            except (AssertionError, OSError, http.client.HTTPException, zipfile.BadZipFile) as problem:
                broken.append((name, problem))
            time.sleep(0.05)

    threads = [threading.Thread(target=use, args=use_of, daemon=True) for use_of in uses.items()]
    for thread in threads:
        thread.start()
    time.sleep(0.3 * (number + 1))
    address = f"/journals/{as_uuid(str(journal_row).replace('-', ''))}/delete/"

    def is_deleted() -> bool:
        status, _ = posted(house, visitor, address, {"confirm": "yes", "name": "orders"})
        answers.append(("delete", status, ""))
        return house.ask("select count(*) from journals_journal where id = ?", str(journal_row)) == [(0,)]

    until(is_deleted, HANGS)
    time.sleep(1)
    is_over.set()
    for thread in threads:
        thread.join(HANGS)
    assert broken == []
    assert {answer for answer in answers if answer[1] >= 500 and answer[1] != 503} == set()
    told: set[Any] = {name for name, _, kind in answers if name.startswith("api") and "json" not in kind}
    assert told == set()
    assert {status for _, status, _ in answers} >= {200, 404}
