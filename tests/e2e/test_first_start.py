"""A first start, by its rows, files and processes: two samples that were asked for, inspected, and nothing that other accounts can read."""

from __future__ import annotations

import pytest

from tests.workers.whole_house import OVER, House, as_uuid, until

pytestmark = pytest.mark.e2e
HANGS = 600.0  # seconds; what takes so long on the busiest machine never comes


def samples(house: House) -> list[str]:
    """The first two inspections."""
    return [id for (id,) in house.ask("select id from journals_inspection order by created_at limit 2")]


def test_two_samples_are_inspected(whole_house: House) -> None:
    until(lambda: len(samples(whole_house)) == 2, HANGS)
    until(lambda: all(whole_house.state(id) in OVER for id in samples(whole_house)), HANGS)
    assert [whole_house.row(id) for id in samples(whole_house)] == [("done", 1, "")] * 2
    folders = {folder.name for folder in (whole_house.data / "results").iterdir()}
    assert {as_uuid(id) for id in samples(whole_house)} <= folders  # the trial of a repair has one, too
    assert any("Spark is ready" in line for line in whole_house.said)


def test_other_accounts_can_read_nothing_that_the_processes_have_written(whole_house: House) -> None:
    made = [path for path in whole_house.data.rglob("*") if not path.is_symlink()]
    names = {path.name for path in made} | {path.parent.name for path in made}
    assert {"journalscope.sqlite3", "secret-key", "appendonlydir", "raw", "staticfiles.json"} <= names
    modes = {path: path.stat().st_mode for path in made if path.exists()}
    assert [path for path, mode in modes.items() if mode & 0o077] == []
