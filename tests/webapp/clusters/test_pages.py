"""Pages of clusters and captures: what they show to whom, what they change, what stands in the audit log."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.webapp.clusters.conftest import ASKED, ESTIMATE, SECRET, captured, estimated, topics_told
from webapp.audit.models import Event
from webapp.clusters.models import Capture, Cluster, Trial, Watch
from webapp.journals import progress
from webapp.journals.models import Journal

GIVEN = {
    "name": "production", "bootstrap": "a.example.org:9092", "protocol": "SASL_PLAINTEXT", "check_host_name": "on",
    "mechanism": "PLAIN", "username": "somebody", "password": SECRET,
}  # fmt: skip
MANIFEST = {
    "cluster": {"id": "cluster-1", "name": "staging"},
    "captured_by": "owner",
    "started_at_ms": 1_769_853_600_000,
    "finished_at_ms": 1_769_853_660_000,
    "brokers": [{"node": 1, "host": "broker1", "port": 9092, "rack": None, "release": "3.9"}],
    "topic": {"name": "orders", "configs": {"cleanup.policy": {"value": "compact", "source": "topic"}}},
    "partitions": [
        {
            "partition": 0, "asked": {"from_offset": 0, "to_offset": 1000}, "is_converted": False,
            "got": {"first_offset": 0, "next_offset": 600, "batches": 6, "size_bytes": 600}, "stopped_by": "limit",
            "events": [{"kind": "leader-changed", "at_ms": 0, "offset": 5, "says": "Broker 2 leads now."}],
        }
    ],
    "transactions": [],
    "not_asked": [{"question": "DescribeProducers", "why": "Broker 1 has no such request."}],
}  # fmt: skip


def actions() -> list[str]:
    """Of clusters and captures, in order."""
    found = Event.objects.filter(action__regex=r"^(cluster|capture)\.").order_by("pk")
    return list(found.values_list("action", flat=True))


def text(answer: Any) -> str:
    """As one line."""
    return " ".join(answer.content.decode().split())


def test_a_cluster_is_connected_changed_and_removed(admin: Any, project: Any, sign_in: Any) -> None:
    browser = sign_in(admin)
    page = reverse("cluster-new", args=[project.slug])
    answer = browser.post(page, GIVEN)
    cluster = Cluster.objects.get()
    assert answer["Location"] == reverse("cluster", args=[cluster.pk])
    assert cluster.secrets == {"password": SECRET}
    assert cluster.trials.get().kind == "trial"
    change = reverse("cluster-change", args=[cluster.pk])
    assert SECRET not in text(browser.get(change))
    browser.post(change, GIVEN | {"name": "staging", "password": ""})
    cluster.refresh_from_db()
    assert (cluster.name, cluster.secrets) == ("staging", {"password": SECRET})
    browser.post(reverse("cluster-remove", args=[cluster.pk]))
    assert not Cluster.objects.exists()
    assert actions() == [
        "cluster.connected", "cluster.tested", "cluster.changed", "cluster.tested", "cluster.removed",
    ]  # fmt: skip
    changed = Event.objects.get(action="cluster.changed")
    assert (changed.detail["changed"], changed.detail["secrets"]) == (["name"], ["password"])
    assert SECRET not in str(list(Event.objects.values()))


def test_a_form_that_is_refused_shows_why_and_no_secret(admin: Any, project: Any, sign_in: Any) -> None:
    answer = sign_in(admin).post(
        reverse("cluster-new", args=[project.slug]), GIVEN | {"bootstrap": "nowhere"}
    )
    assert answer.status_code == 422
    assert "nowhere is not a server with its port" in text(answer)
    assert SECRET not in text(answer)
    assert not Cluster.objects.exists()


def test_no_page_shows_a_secret_to_anybody(admin: Any, cluster: Cluster, sign_in: Any) -> None:
    capture, trial = captured(cluster, manifest=MANIFEST, state="done"), estimated(cluster)
    topics_told(cluster)
    pages = [
        reverse("clusters"), reverse("captures"), reverse("capture", args=[capture.pk]), reverse("audit"),
        reverse("capture-estimate", args=[trial.pk]), reverse("operations-jobs"),
    ]  # fmt: skip
    pages += [
        reverse(name, args=[cluster.pk])
        for name in ("cluster", "cluster-change", "cluster-topics", "capture-new")
    ]
    browser = sign_in(admin)
    for page in pages:
        answer = browser.get(page)
        assert answer.status_code == 200, page
        assert SECRET not in text(answer), page
        assert cluster.sealed_secrets not in text(answer), page


def test_a_test_is_shown_step_by_step(owner: Any, cluster: Cluster, sign_in: Any) -> None:
    browser = sign_in(owner)
    browser.post(reverse("cluster-test", args=[cluster.pk]))
    browser.post(reverse("cluster-test", args=[cluster.pk]))
    trial = cluster.trials.get()  # the second asked for what was on its way
    fragment = reverse("trial-state", args=[trial.pk])
    assert "waits for a worker" in text(browser.get(fragment))
    steps = [
        {"id": "name", "name": "Name resolves", "state": "works", "says": "It is 10.0.0.1.", "cure": None},
        {
            "id": "port",
            "name": "Port opens",
            "state": "failed",
            "says": "Nobody listens.",
            "cure": "Start it.",
        },
        {"id": "tls", "name": "TLS", "state": "not-tried", "says": "", "cure": None},
    ]
    place = {"address": "broker1:9092", "how": "bootstrap", "node": None, "release": None, "steps": steps}
    result = {"is_fine": False, "sentence": "Nobody listens. Start it.", "places": [place]}
    Trial.objects.update(state="running", result=result)
    assert "hx-get" in text(browser.get(fragment))
    Trial.objects.update(state="done")
    shown = text(browser.get(fragment))
    assert "hx-get" not in shown
    assert "Not everything works" in shown
    assert "Nobody listens. <strong>Start it.</strong>" in shown
    assert "not tried" in shown


def test_topics_put_journals_first_and_hide_internal_ones(
    owner: Any, viewer: Any, cluster: Cluster, sign_in: Any
) -> None:
    page = reverse("cluster-topics", args=[cluster.pk])
    assert "hx-post" in text(sign_in(owner).get(page))
    assert "hx-post" not in text(sign_in(viewer).get(page))
    topics_told(cluster)
    shown = text(sign_in(owner).get(page))
    assert shown.index("kafkasql-journal") < shown.index(">orders<")
    assert "_hidden" not in shown
    assert "__consumer_offsets" in shown
    assert "1 internal one is hidden" in shown
    assert "Sizes are unknown." in shown
    assert "_hidden" in text(sign_in(owner).get(f"{page}?internal=1"))
    found = text(sign_in(owner).get(f"{page}?q=ORD"))
    assert "kafkasql-journal" not in found
    assert "?topic=orders" in found
    assert "?topic=" not in text(sign_in(viewer).get(page)).replace("advice/?topic=", "")


def test_a_capture_is_estimated_then_started(owner: Any, cluster: Cluster, sign_in: Any, house: Any) -> None:
    browser = sign_in(owner)
    form = reverse("capture-new", args=[cluster.pk])
    assert 'value="orders"' in text(browser.get(f"{form}?topic=orders"))
    given = {"topic": "orders", "start_at": "earliest", "end_at": "latest", "max_mb": "1"}
    answer = browser.post(form, given)
    trial = cluster.trials.get()
    page = reverse("capture-estimate", args=[trial.pk])
    assert answer["Location"] == page
    assert trial.asked == ASKED | {"max_bytes": 1_000_000}
    start = reverse("capture-start", args=[trial.pk])
    assert browser.post(start)["Location"] == page  # there is no estimate yet
    Trial.objects.update(state="done", result=ESTIMATE)
    shown = text(browser.get(page))
    assert "At most 1,010 records of orders, about 505.0 kB." in shown
    assert "Start the capture" in shown
    browser.post(start)
    capture = Capture.objects.get()
    assert (capture.asked, capture.requested_by, capture.state) == (trial.asked, owner, "queued")
    again = text(browser.get(f"{form}?again={capture.pk}"))
    assert 'name="max_mb" value="1"' in again
    assert actions() == ["capture.started"]


@pytest.mark.parametrize("quota_bytes", [0, 400_000])
def test_an_estimate_over_the_quota_cannot_be_started(
    owner: Any, project: Any, cluster: Cluster, sign_in: Any, quota_bytes: int
) -> None:
    project.quota_bytes = quota_bytes
    project.save()
    trial = estimated(cluster)
    shown = text(sign_in(owner).get(reverse("capture-estimate", args=[trial.pk])))
    assert "has room for" in shown
    assert "Start the capture" not in shown
    sign_in(owner).post(reverse("capture-start", args=[trial.pk]))
    assert not Capture.objects.exists()


def test_a_running_capture_shows_how_far_it_is(
    owner: Any, cluster: Cluster, sign_in: Any, house: Any
) -> None:
    capture = captured(cluster, state="running", size_bytes=500)
    told = (
        '{"size_bytes": 500, "offsets_done": 30, "offsets_total": 100, "partitions": {"10": [0, 20, 50], "2": [50, 60, 100]},'
        ' "bytes_per_second": 100.0, "seconds_left": 61.0, "note": "Broker 1 does not answer."}'
    )
    house.set(progress.key("progress", capture.pk), told)
    house.set(progress.key("alive", capture.pk), 1)
    shown = text(sign_in(owner).get(reverse("capture-state", args=[capture.pk])))
    assert "Capturing orders" in shown
    assert "1 min 1 s" in shown
    assert "Broker 1 does not answer." in shown
    assert shown.index("Partition 2: 20 percent") < shown.index("Partition 10: 40 percent")


def test_it_is_paused_gone_on_with_and_ended(owner: Any, cluster: Cluster, sign_in: Any, house: Any) -> None:
    browser, capture = sign_in(owner), captured(cluster, state="running", size_bytes=500)

    def do(what: str) -> tuple[str, str]:
        browser.post(reverse(f"capture-{what}", args=[capture.pk]))
        capture.refresh_from_db()
        return capture.state, capture.wish

    assert do("pause") == ("running", "pause")
    Capture.objects.update(state="paused", wish="")
    assert do("resume") == ("queued", "")
    assert do("pause") == ("paused", "")
    assert do("stop") == ("queued", "stop")
    Capture.objects.update(state="running", wish="")
    assert do("stop") == ("running", "stop")
    Capture.objects.update(state="queued", wish="", size_bytes=0)
    assert do("stop") == ("cancelled", "")
    assert do("resume") == ("cancelled", "")
    assert "Only a capture that is paused or failed can go on." in text(browser.get(reverse("captures")))
    assert actions() == [f"capture.{verb}" for verb in ("paused", "resumed", "paused", *["cancelled"] * 3)]


def test_what_was_not_captured_is_said(owner: Any, project: Any, cluster: Cluster, sign_in: Any) -> None:
    journal = Journal.objects.create(project=project, name="orders of staging", complete_at=timezone.now())
    capture = captured(cluster, state="done", journal=journal, manifest=MANIFEST, size_bytes=600)
    shown = text(sign_in(owner).get(reverse("capture", args=[capture.pk])))
    assert "Offsets 600 to 999 were not captured: the limit was reached." in shown
    assert "Partition 0: Broker 2 leads now." in shown
    assert "DescribeProducers: Broker 1 has no such request." in shown
    of_journal = text(sign_in(owner).get(reverse("journal", args=[journal.pk])))
    assert f"?again={capture.pk}" in of_journal
    assert "Captured from" in of_journal
    assert "compact" in of_journal


def test_removing_a_cluster_keeps_what_was_captured(
    admin: Any, project: Any, cluster: Cluster, sign_in: Any, house: Any
) -> None:
    journal = Journal.objects.create(project=project, name="orders of staging")
    kept = captured(cluster, state="done", journal=journal, manifest=MANIFEST)
    under_way = captured(cluster, state="running", size_bytes=5)
    Watch.objects.create(cluster=cluster, topic="orders", asked=ASKED)
    browser = sign_in(admin)
    shown = text(browser.get(reverse("cluster", args=[cluster.pk])))
    assert "its address and secrets and 1 watch. 1 captured journal with all reports stay." in shown
    browser.post(reverse("cluster-remove", args=[cluster.pk]))
    under_way.refresh_from_db()
    assert under_way.wish == "stop"
    assert Cluster.objects.exists()
    Capture.objects.filter(pk=under_way.pk).update(state="cancelled")
    browser.post(reverse("cluster-remove", args=[cluster.pk]))
    assert not Cluster.objects.exists()
    assert not Watch.objects.exists()
    kept.refresh_from_db()
    assert (kept.cluster, kept.journal) == (None, journal)
    assert "staging, removed" in text(browser.get(reverse("capture", args=[kept.pk])))
    browser.post(reverse("journal-delete", args=[journal.pk]))
    assert not Capture.objects.filter(pk=kept.pk).exists()


def test_a_journal_that_is_still_being_stored_is_not_deleted(
    admin: Any, project: Any, cluster: Cluster, sign_in: Any
) -> None:
    journal = Journal.objects.create(project=project, name="orders of staging")
    captured(cluster, state="running", journal=journal)
    sign_in(admin).post(reverse("journal-delete", args=[journal.pk]))
    assert Journal.objects.exists()
