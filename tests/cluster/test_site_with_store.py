"""The site with its results in an object store: from upload to page, by the real worker and the real web server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.object_store import BUCKET, ObjectStore
from tests.workers.slow_clients import ask
from tests.workers.whole_house import OVER, House, as_uuid, running, until

pytestmark = pytest.mark.cluster
HANGS = 600.0  # seconds
DELETE = """
import sys, django
django.setup()
from webapp.journals.deletion import delete_inspection
from webapp.journals.models import Inspection
delete_inspection(Inspection.objects.get(pk=sys.argv[1]))
"""
TABS = ("", "records/", "keys/", "timeline/", "log/", "files/")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """An S3 server."""
    with ObjectStore(tmp_path_factory.mktemp("store")) as started:
        yield started


@pytest.fixture(scope="module")
def house(store: ObjectStore) -> Iterator[House]:
    """The site; its two samples are inspected at its first start."""
    address = {"RESULTS_URL": f"s3://{BUCKET}/site/results"}
    with running(more={**store.environment(), **address}) as started:
        until(lambda: len(inspections(started)) == 2, HANGS)
        until(lambda: all(started.state(id) in OVER for id in inspections(started)), HANGS)
        yield started


def inspections(house: House) -> list[str]:
    return [row[0] for row in house.ask("select id from journals_inspection order by created_at")]


def stored(store: ObjectStore, inspection: str) -> Path:
    """The objects of an inspection."""
    return store.objects / BUCKET / "site" / "results" / as_uuid(inspection)


def test_an_upload_becomes_a_report_that_only_the_store_has(house: House, store: ObjectStore) -> None:
    assert [house.row(id) for id in inspections(house)] == [("done", 1, "")] * 2
    for id in inspections(house):
        document = json.loads((stored(store, id) / "committed.json").read_text())
        names = {path.name for path in stored(store, id).iterdir()}
        assert names == {"committed.json", document["attempt"]}
        assert (stored(store, id) / document["attempt"] / "report.json").is_file()
        assert not (house.data / "results" / as_uuid(id)).exists()


def test_pages_are_answered_by_a_machine_without_copies(house: House) -> None:
    shutil.rmtree(house.data / "cache")
    headers = house.visitor().headers()
    for id in inspections(house):
        for tab in TABS:
            answer, body = ask(
                house.port, "GET", f"/inspections/{as_uuid(id)}/report/{tab}", headers, seconds=60
            )
            assert answer.status == 200, (tab, body[:300])
    assert any((house.data / "cache").rglob("*.parquet"))


def test_a_deleted_inspection_is_deleted_in_the_store(house: House, store: ObjectStore) -> None:
    first, other = inspections(house)
    house.python(DELETE, first)
    assert not any(path.is_file() for path in stored(store, first).rglob("*"))
    assert (stored(store, other) / "committed.json").is_file()
