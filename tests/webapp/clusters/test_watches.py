"""Watches in the web: started by admins, changed, run by hand, shown to whoever may see the project."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.webapp.clusters.conftest import ASKED, captured, watched
from webapp.audit.models import Event
from webapp.clusters.models import Capture, Cluster, Watch

FORM = {
    "topic": "orders",
    "partitions": "0, 2-3",
    "start_at": "earliest",
    "max_mb": "5",
    "every_minutes": "60",
}


def test_an_admin_starts_a_watch_that_is_due_at_once(cluster: Cluster, admin: Any, sign_in: Any) -> None:
    answer = sign_in(admin).post(reverse("watch-new", args=[cluster.pk]), FORM)
    watch = Watch.objects.get()
    assert answer.url == reverse("watch", args=[watch.pk])
    assert watch.asked == {**ASKED, "partitions": [0, 2, 3], "max_bytes": 5_000_000}
    assert watch.next_at <= timezone.now()
    assert Event.objects.get(action="watch.started").detail["topic"] == "orders"


def test_a_run_always_goes_to_the_end_of_the_log(cluster: Cluster, admin: Any, sign_in: Any) -> None:
    sign_in(admin).post(
        reverse("watch-new", args=[cluster.pk]), FORM | {"end_at": "offset", "end_offset": "7"}
    )
    assert Watch.objects.get().asked["end"] == {"at": "latest"}


def test_a_topic_is_watched_once(cluster: Cluster, admin: Any, sign_in: Any) -> None:
    watched(cluster)
    answer = sign_in(admin).post(reverse("watch-new", args=[cluster.pk]), FORM)
    assert answer.status_code == 422
    assert b"is watched already" in answer.content


def test_the_form_begins_with_the_choices_of_a_capture(cluster: Cluster, admin: Any, sign_in: Any) -> None:
    capture = captured(cluster, asked={**ASKED, "partitions": [4]})
    page = sign_in(admin).get(reverse("watch-new", args=[cluster.pk]), {"again": str(capture.pk)})
    assert b'value="4"' in page.content


@pytest.mark.parametrize("part", ["viewer", "owner"])
def test_who_is_no_admin_starts_none(
    cluster: Cluster, part: str, request: pytest.FixtureRequest, sign_in: Any
) -> None:
    client = sign_in(request.getfixturevalue(part))
    assert client.post(reverse("watch-new", args=[cluster.pk]), FORM).status_code == 403
    assert client.get(reverse("watch", args=[watched(cluster).pk])).status_code == 200


def test_a_stranger_sees_no_watch(cluster: Cluster, stranger: Any, sign_in: Any) -> None:
    watch = watched(cluster)
    client = sign_in(stranger)
    assert client.get(reverse("watch", args=[watch.pk])).status_code == 404
    assert client.post(reverse("watch-run", args=[watch.pk])).status_code == 404


def test_switched_on_again_it_forgets_its_failures_and_begins_at_once(
    cluster: Cluster, admin: Any, sign_in: Any
) -> None:
    later = timezone.now() + timedelta(days=1)
    watch = watched(cluster, is_on=False, failures=5, error="No broker answers.", next_at=later)
    page = sign_in(admin).get(reverse("watch", args=[watch.pk]))
    assert b"switched off after 5 failures" in page.content
    sign_in(admin).post(reverse("watch-change", args=[watch.pk]), {"every_minutes": "15", "is_on": "1"})
    found = Watch.objects.get()
    assert (found.is_on, found.failures, found.error, found.every_minutes) == (True, 0, "", 15)
    assert found.next_at <= timezone.now()


def test_a_shorter_schedule_brings_the_next_run_nearer(cluster: Cluster, admin: Any, sign_in: Any) -> None:
    watch = watched(cluster, every_minutes=1440, next_at=timezone.now() + timedelta(days=1))
    sign_in(admin).post(reverse("watch-change", args=[watch.pk]), {"every_minutes": "5", "is_on": "1"})
    assert Watch.objects.get().next_at < timezone.now() + timedelta(minutes=6)


def test_support_runs_it_now_but_not_twice(cluster: Cluster, owner: Any, sign_in: Any) -> None:
    watch = watched(cluster)
    client = sign_in(owner)
    client.post(reverse("watch-run", args=[watch.pk]))
    again = client.post(reverse("watch-run", args=[watch.pk]), follow=True)
    assert b"is queued already" in again.content
    assert Capture.objects.get().watch == watch


def test_captured_afresh_it_begins_at_the_beginning(cluster: Cluster, owner: Any, sign_in: Any) -> None:
    watch = watched(cluster)
    sign_in(owner).post(reverse("watch-afresh", args=[watch.pk]))
    assert Capture.objects.get().asked == ASKED


def test_removed_it_leaves_its_runs(cluster: Cluster, admin: Any, sign_in: Any) -> None:
    watch = watched(cluster)
    captured(cluster, watch=watch)
    sign_in(admin).post(reverse("watch-remove", args=[watch.pk]))
    assert Capture.objects.get().watch is None


def test_the_list_shows_what_one_may_see(cluster: Cluster, viewer: Any, stranger: Any, sign_in: Any) -> None:
    watched(cluster, failures=1)
    page = sign_in(viewer).get(reverse("watches"))
    assert b"Failing" in page.content
    assert b"every hour" in page.content
    assert sign_in(stranger).get(reverse("watches")).status_code in (403, 404)
