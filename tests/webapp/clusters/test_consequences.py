"""What captures leave: journals that tell of them, quotas, jobs; and what becomes of them with cluster and journal."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils import timezone

from tests.webapp.clusters.conftest import (
    ASKED,
    MANIFEST,
    captured,
    text,
)
from webapp.accounts.models import Project
from webapp.clusters.models import Capture, Cluster, Watch
from webapp.journals.disk import quotas
from webapp.journals.models import Journal
from webapp.journals.removal import removal_of


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
    assert "1 watch. 1 captured journal" in shown
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


def test_captures_go_with_a_journal_that_is_moved_and_forget_their_cluster(
    admin: Any, project: Any, cluster: Cluster, sign_in: Any
) -> None:
    elsewhere = Project.objects.create(slug="elsewhere", name="Elsewhere")
    elsewhere.memberships.create(user=admin, role="admin")
    journal = Journal.objects.create(project=project, name="orders of staging")
    capture = captured(cluster, state="done", journal=journal)
    watch = Watch.objects.create(cluster=cluster, topic="orders", asked=ASKED, lineage=journal.lineage)
    move = reverse("journal-move", args=[journal.pk])
    answer = sign_in(admin).post(move, {"project": "elsewhere"}, follow=True)
    assert "Stop the watch first." in text(answer)
    watch.delete()
    sign_in(admin).post(move, {"project": "elsewhere"})
    capture.refresh_from_db()
    assert (capture.project, capture.cluster, capture.cluster_name) == (elsewhere, None, "staging")


def test_a_journals_removal_names_its_captures(project: Any, cluster: Cluster) -> None:
    journal = Journal.objects.create(project=project, name="orders of staging")
    captured(cluster, state="done", journal=journal)
    assert "1 capture" in removal_of([journal]).sentence


def test_unfinished_captures_count_for_the_quota_once(project: Any, cluster: Cluster) -> None:
    captured(cluster, state="running", size_bytes=7)
    journal = Journal.objects.create(project=project, name="orders of staging")
    journal.uploads.create(name="a", size_bytes=100)
    captured(cluster, state="done", journal=journal, size_bytes=100)
    assert quotas.used_bytes(project) == 107


def test_the_jobs_page_lists_captures_and_starts_them_again(
    admin: Any, cluster: Cluster, sign_in: Any, house: Any
) -> None:
    capture = captured(cluster, state="failed", error="The broker is gone. Wait.", size_bytes=5)
    browser = sign_in(admin)
    shown = text(browser.get(reverse("operations-jobs")))
    assert "orders of staging" in shown
    browser.post(reverse("operations-job-again", args=["capture", capture.pk]))
    capture.refresh_from_db()
    assert capture.state == "queued"
    browser.post(reverse("operations-job-cancel", args=["capture", capture.pk]))
    capture.refresh_from_db()
    assert (capture.state, capture.wish) == ("queued", "stop")


def test_a_journal_that_is_still_being_stored_is_not_deleted(
    admin: Any, project: Any, cluster: Cluster, sign_in: Any
) -> None:
    journal = Journal.objects.create(project=project, name="orders of staging")
    captured(cluster, state="running", journal=journal)
    sign_in(admin).post(reverse("journal-delete", args=[journal.pk]))
    assert Journal.objects.exists()
