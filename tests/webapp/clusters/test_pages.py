"""Pages of clusters and captures: what they show to whom, what they change, what stands in the audit log."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.webapp.clusters.conftest import (
    ASKED,
    ESTIMATE,
    MANIFEST,
    SECRET,
    captured,
    estimated,
    text,
    topics_told,
)
from webapp.audit.models import Event
from webapp.clusters.models import Capture, Cluster, Trial
from webapp.jobs import progress

GIVEN = {
    "name": "production", "bootstrap": "a.example.org:9092", "protocol": "SASL_PLAINTEXT", "check_host_name": "on",
    "mechanism": "PLAIN", "username": "somebody", "password": SECRET,
}  # fmt: skip


def actions() -> list[str]:
    """Of clusters and captures, in order."""
    found = Event.objects.filter(action__regex=r"^(cluster|capture)\.").order_by("pk")
    return list(found.values_list("action", flat=True))


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
    assert "Only a paused or failed capture can continue." in text(browser.get(reverse("captures")))
    assert actions() == [f"capture.{verb}" for verb in ("paused", "resumed", "paused", *["cancelled"] * 3)]
