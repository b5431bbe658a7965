"""The site with raw bytes and results in an object store, and executors that see none of its folders: from upload to page, by the
real worker and the real web server."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.object_store import BUCKET, ObjectStore
from tests.cluster.standalone import Standalone, can_hide
from tests.workers.slow_clients import ask
from tests.workers.whole_house import OVER, ROOT, SEND, House, as_uuid, running, until

pytestmark = pytest.mark.cluster
HANGS = 600.0  # seconds
DELETE = """
import sys, django
django.setup()
from webapp.journals.deletion import delete_inspection
from webapp.journals.models import Inspection
delete_inspection(Inspection.objects.get(pk=sys.argv[1]))
"""
DELETE_JOURNAL = """
import sys, django
django.setup()
from webapp.journals.deletion import delete_journal
from webapp.journals.models import Journal
delete_journal(Journal.objects.get(pk=sys.argv[1]))
"""
JOURNAL_OF = "select journal_id from journals_inspection where id = ?"
TABS = ("", "records/", "keys/", "timeline/", "log/", "files/")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """An S3 server."""
    with ObjectStore(tmp_path_factory.mktemp("store")) as started:
        yield started


@pytest.fixture(scope="module")
def house(store: ObjectStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The site; its two samples, which are archives, are inspected."""
    folder = tmp_path_factory.mktemp("cluster")
    with Standalone(folder / "cluster") as cluster, running(more=environment(store, cluster)) as started:
        cluster.add_worker(
            hidden=[started.data, store.folder] if can_hide() else [],
            environment={**store.environment(), "CACHE_DIR": str(folder / "cache")},
        )
        until(lambda: len(inspections(started)) == 2, HANGS)
        until(lambda: all(started.state(id) in OVER for id in inspections(started)), HANGS)
        yield started


def environment(store: ObjectStore, cluster: Standalone) -> dict[str, str]:
    """What the site is set to."""
    return {
        **store.environment(),
        "RAW_STORAGE_URL": f"s3://{BUCKET}/site/raw",
        "RESULTS_URL": f"s3://{BUCKET}/site/results",
        "SPARK_MASTER": cluster.master,
    }


def inspections(house: House) -> list[str]:
    return [row[0] for row in house.ask("select id from journals_inspection order by created_at")]


def until_repairs_are_over(house: House, count: int) -> None:
    """The trial of a repair begins by itself after an inspection; what it works on cannot be deleted."""
    states = "select state from journals_repair"
    until(lambda: [state in OVER for (state,) in house.ask(states)] == [True] * count, HANGS)


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


def test_an_archive_is_unpacked_in_the_store_and_goes_with_its_journal(
    house: House, store: ObjectStore, tmp_path: Path
) -> None:
    raw = store.objects / BUCKET / "site" / "raw"
    archive = shutil.copy(ROOT / "webapp/journals/samples/broken.zip", tmp_path / "other.zip")
    with zipfile.ZipFile(archive, "a") as opened:
        opened.comment = b"not the sample"
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    (inspection,) = house.python(SEND, str(archive))
    until(lambda: house.state(inspection) in OVER, HANGS)
    assert house.row(inspection) == ("done", 1, "")
    assert (raw / sha256[:2] / sha256).is_file()
    assert len(list((raw / "unpacked" / sha256).glob("*/members.json"))) == 1
    assert not (house.data / "raw").exists()
    until_repairs_are_over(house, 2)
    house.python(DELETE_JOURNAL, *house.ask(JOURNAL_OF, inspection)[0])
    assert [path for path in raw.rglob("*") if path.is_file() and sha256 in str(path)] == []


def test_a_repair_is_tried_where_its_files_are(house: House) -> None:
    until_repairs_are_over(house, 1)
    assert house.ask("select state, error from journals_repair") == [("done", "")]


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
