"""Liveness, readiness and metrics, for machines that do not sign in."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from webapp import health
from webapp.audit import spool
from webapp.audit.models import Event
from webapp.jobs import progress
from webapp.operations import heartbeats, stage_seconds

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(house: Any) -> None:
    now_ms = int(time.time() * 1000)
    house.set(heartbeats.key("host", 1), heartbeats.text("host", 1, now_ms, now_ms))


def test_ready_when_an_upload_would_be_inspected_now(worker: None) -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ready": True,
        "database": "answers",
        "broker": "answers",
        "worker": "alive",
        "disk": "has room",
    }


def test_not_ready_without_a_worker(house: Any) -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["worker"] == "none is alive: inspections wait"
    assert Client().get("/healthz").status_code == 200


def test_not_ready_while_a_queue_has_no_worker(house: Any) -> None:
    for pid, queues in ((1, ["inspections"]), (2, ["quick"])):
        house.set(heartbeats.key("host", pid), heartbeats.text("host", pid, 0, 0, queues))
    answer = Client().get("/readyz").json()
    assert (answer["ready"], answer["worker"]) == (False, "none is alive: captures and shared links wait")
    house.set(heartbeats.key("host", 3), heartbeats.text("host", 3, 0, 0, ["transfers"]))
    assert Client().get("/readyz").json()["worker"] == "alive"


def test_not_ready_when_the_disk_is_nearly_full(worker: None, monkeypatch: Any) -> None:
    monkeypatch.setattr(health, "MIN_FREE_BYTES", 1 << 60)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["ready"]) == (503, False)
    assert answer.json()["disk"].startswith("is nearly full")


def test_not_ready_without_a_broker(settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    progress.connection.cache_clear()
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["broker"] == "does not answer"


def test_there_are_no_metrics_without_a_token_in_the_settings(house: Any) -> None:
    assert Client().get("/metrics").status_code == 404


@pytest.mark.parametrize("header", ["", "Bearer wrong", "Bearer ", "secret token"])
def test_metrics_need_the_token(settings: Any, house: Any, header: str) -> None:
    settings.METRICS_TOKEN = "secret"
    answer = Client().get("/metrics", headers={"Authorization": header})
    assert answer.status_code == 401
    assert b"journalscope_" not in answer.content


def samples(settings: Any) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    settings.METRICS_TOKEN = "secret"
    answer = Client().get("/metrics", headers={"Authorization": "Bearer secret"})
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_metrics_tell_of_requests_runs_stages_queue_storage_and_workers(
    settings: Any, worker: None, make: Any, house: Any
) -> None:
    make("journal", b"12345")
    stage_seconds.note({"decode": 1.5})
    stage_seconds.note({"decode": 2.5})
    Client().get("/healthz")
    found = samples(settings)
    asked = (("method", "GET"), ("status", "200"), ("view", "healthz"))
    assert found["journalscope_http_requests_total", asked] >= 1
    assert found["journalscope_http_request_seconds_count", (("view", "healthz"),)] >= 1
    assert found["journalscope_inspections", (("state", "done"),)] == 1
    assert found["journalscope_stage_seconds_sum", (("stage", "decode"),)] == 4
    assert found["journalscope_stage_seconds_count", (("stage", "decode"),)] == 2
    assert found["journalscope_storage_bytes", (("kind", "raw"),)] == 5
    assert found["journalscope_storage_bytes", (("kind", "result"),)] == 100
    assert found["journalscope_workers", ()] == 1
    assert ("journalscope_queue_messages", ()) in found


def test_events_that_wait_are_counted(settings: Any, house: Any) -> None:
    spool.keep(Event(action="record.read"))
    assert samples(settings)["journalscope_audit_waiting", ()] == 1


def test_without_a_broker_the_other_metrics_are_still_told(settings: Any, make: Any) -> None:
    make("journal")
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    progress.connection.cache_clear()
    found = samples(settings)
    assert found["journalscope_inspections", (("state", "done"),)] == 1
    assert ("journalscope_queue_messages", ()) not in found


def test_no_id_becomes_a_label(settings: Any, make: Any, owner: Any, sign_in: Any, house: Any) -> None:
    journal = make("journal")
    sign_in(owner).get(f"/journals/{journal.pk}/")
    labels = {value for _, named in samples(settings) for _, value in named}
    assert "journal" in labels
    assert not any(str(journal.pk) in label for label in labels)
