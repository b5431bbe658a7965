"""A watched topic of a real broker: runs go on, journals grow, what was decoded is taken over, a new topic is a new log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from spark.runtime.in_process import in_process
from spark.tables import Manifest
from tests.live.brokers import Broker, Driver
from tests.live.captures import entries as entries_of
from tests.live.captures import kept_by_broker
from tests.webapp.clusters.conftest import ASKED
from tests.workers.conftest import house, redis_server
from webapp.clusters.models import Capture, Cluster, Watch
from webapp.clusters.watches import run_afresh
from webapp.journals.disk import storage
from webapp.journals.models import Inspection, Journal
from webapp.networks.guard import Networks
from workers import kinds, watches
from workers.capture.format_advice import advise
from workers.jobs.runner import Attempt, perform

__all__ = ["house", "redis_server"]

pytestmark = [pytest.mark.live, pytest.mark.django_db, pytest.mark.usefixtures("house")]

TOPIC = "orders"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker("3.9.1", tmp_path_factory.mktemp("broker")) as started:
        yield started


@pytest.fixture
def drive(broker: Broker) -> Iterator[Driver]:
    with Driver(broker.address) as driver:
        yield driver


@pytest.fixture
def watch(broker: Broker, project: Any, admin: Any, settings: Any) -> Watch:
    settings.KAFKA_NETWORKS = ["loopback"]
    cluster = Cluster.objects.create(project=project, name="live", bootstrap=broker.address)
    return Watch.objects.create(
        cluster=cluster, topic=TOPIC, asked=ASKED | {"topic": TOPIC}, created_by=admin
    )


def ran(watch: Watch) -> Capture:
    """Its next run, from the minute in which it is due to its end."""
    Watch.objects.filter(pk=watch.pk).update(next_at=timezone.now() - timedelta(seconds=1))
    watches.start_due()
    return performed(watch)


def performed(watch: Watch) -> Capture:
    """What waits, done."""
    queued = Capture.objects.get(watch=watch, state="queued")
    perform(kinds.load("capture"), str(queued.pk))
    return Capture.objects.get(pk=queued.pk)


def inspected(journal: Journal | None) -> Inspection:
    """The journal's inspection as a worker makes it, with the tasks run in this process."""
    assert journal is not None
    inspection = journal.inspections.get()
    kind = kinds.load("inspection")
    attempt = Attempt(inspection, kind.kind.stages)
    attempt.context = in_process
    columns = kind.execute(attempt)
    attempt.folder.publish()
    done = {"state": "done", "finished_at": timezone.now(), **columns}
    Inspection.objects.filter(pk=inspection.pk).update(**done)
    return Inspection.objects.get(pk=inspection.pk)


def stored(journal: Journal | None) -> list[bytes]:
    """All entries of a journal's segments of partition 0, in order."""
    assert journal is not None
    segments = journal.uploads.filter(name__startswith=f"{TOPIC}-0/").order_by("name")
    return entries_of([Path(storage.location(upload.blob_id)) for upload in segments])


def test_a_watched_topic(broker: Broker, drive: Driver, watch: Watch) -> None:
    drive("topic", TOPIC, 2, 1, "cleanup.policy=compact")
    drive("producer", "p", "enable.idempotence=false")
    drive("fill", "p", TOPIC, 0, 0, 500, "first")
    drive("fill", "p", TOPIC, 1, 0, 500, "first")
    first = ran(watch)
    assert (first.state, first.error) == ("done", "")
    assert stored(first.journal) == kept_by_broker(broker, TOPIC)
    yesterday = inspected(first.journal)

    assert ran(watch).journal is None, "nothing new"

    drive("fill", "p", TOPIC, 0, 500, 20, "second")
    second = ran(watch)
    assert (second.state, second.error) == ("done", "")
    assert stored(second.journal) == kept_by_broker(broker, TOPIC)
    assert second.size_bytes < first.size_bytes / 2, "only what is new was captured"
    today = inspected(second.journal)
    assert today.summary["records"] == yesterday.summary["records"] + 20
    assert [name for name in Manifest.load(today.results).files["records"] if "-kept-" in name]
    assert today.journal.lineage == yesterday.journal.lineage

    fresh = run_afresh(watch, None)
    perform(kinds.load("capture"), str(fresh.pk))
    assert stored(Capture.objects.get(pk=fresh.pk).journal) == kept_by_broker(broker, TOPIC)

    drive("delete-topic", TOPIC)
    drive("topic", TOPIC, 2, 1)
    drive("fill", "p", TOPIC, 0, 0, 7, "another log")
    broken = ran(watch)
    assert (broken.state, broken.journal) == ("cancelled", None)
    assert "deleted and created again" in broken.error
    assert stored(performed(watch).journal) == kept_by_broker(broker, TOPIC)


def test_advice_on_a_live_topic(broker: Broker, drive: Driver, watch: Watch) -> None:
    from workers.kafka import KafkaCluster as Connection
    from workers.kinds.trial import address_of

    drive("topic", "advised", 1, 1)
    drive("producer", "a", "enable.idempotence=false")
    drive("fill", "a", "advised", 0, 0, 50, "value")
    with Connection(address_of(watch.cluster), Networks.of(["loopback"])) as connection:
        found = advise(connection, "advised")
    assert [(row["magic"], row["first_offset"], row["last_offset"]) for row in found["formats"]] == [
        (2, 0, 49)
    ]
    assert found["brokers"][0]["release"] == "3.9"
    assert found["advice"]["state"]["stage"] == "done"
