"""Two workers at one job, a job that ends while its result is shown: nothing lost, nothing doubled, nothing mixed up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from webapp.clusters.models import Cluster, Trial
from webapp.journals import durable
from webapp.journals.models import Comparison, Inspection, Journal
from webapp.sharing.models import Share
from workers import attempts, clusters, comparisons, housekeeping, shares, spark_runner
from workers.attempts import Attempt

pytestmark = [pytest.mark.django_db, pytest.mark.xfail(strict=True, reason="five ways to run a job")]


class Making(Attempt):
    """An inspection whose middle is the test's."""

    model = Inspection
    defect = disk_full = "a defect"
    middle: Callable[[Making], None]

    def made(self, context: Any) -> dict[str, Any]:
        self.place.scratch.mkdir(parents=True)
        type(self).middle(self)
        (self.place.partial / "report.json").write_text(str(self.run.attempts))
        return {"verdict_level": "healthy"}


@pytest.fixture
def waiting(project: Any, house: Any, monkeypatch: pytest.MonkeyPatch) -> Inspection:
    """An inspection in the queue."""
    monkeypatch.setattr(spark_runner, "run", lambda _, work: work(None))
    return Inspection.objects.create(journal=Journal.objects.create(project=project, name="journal"))


def lose_worker(job: Any, house: Any) -> None:
    """No sign of life for a while, and housekeeping notices."""
    long_ago = timezone.now() - timedelta(hours=1)
    house.delete(f"journalscope:alive:{job.pk}")
    type(job).objects.filter(pk=job.pk).update(started_at=long_ago)
    housekeeping.clean_up()


def test_a_stalled_attempt_that_wakes_up_leaves_its_successor_alone(waiting: Any, house: Any) -> None:
    seen: list[bool] = []

    def second(making: Making) -> None:
        making.progress.stage("plan")
        seen.append(True)

    def first(making: Making) -> None:
        Making.middle = second
        lose_worker(waiting, house)
        Making.perform(str(waiting.pk))
        (making.place.partial / "late").write_text("of the first attempt")

    Making.middle = first
    Making.perform(str(waiting.pk))
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempts, seen) == ("done", 2, [True])
    assert [path.name for path in waiting.results.iterdir()] == ["report.json"]
    assert (waiting.results / "report.json").read_text() == "2"


def test_what_is_cancelled_while_its_result_is_shown_takes_no_other_result_with_it(
    waiting: Any, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Making.middle = lambda _: None
    show = durable.show

    def overtaken(partial: Path, final: Path) -> None:
        show(partial, final)
        Inspection.objects.filter(pk=waiting.pk, attempts=1).update(
            state="done", attempts=2
        )  # of a successor
        (final / "report.json").write_text("2")

    monkeypatch.setattr(attempts.durable, "show", overtaken)
    Making.perform(str(waiting.pk))
    assert (waiting.results / "report.json").read_text() == "2"


def test_two_deliveries_of_a_comparison_start_it_once(
    waiting: Any, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = Comparison.objects.create(left=waiting, right=waiting, requested_at=timezone.now())
    begun: list[int] = []

    def compare(_: Any) -> dict[str, Any]:
        begun.append(1)
        house.delete(f"journalscope:alive:{comparison.pk}")  # as between the question and the answer
        if len(begun) == 1:
            comparisons.perform(str(comparison.pk))
        return {}

    monkeypatch.setattr(comparisons, "_compare", compare)
    comparisons.perform(str(comparison.pk))
    assert len(begun) == 1


def test_two_deliveries_of_a_question_to_a_cluster_ask_it_once(
    project: Any, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster.objects.create(project=project, name="staging", bootstrap="127.0.0.1:1")
    trial = Trial.objects.create(cluster=cluster, kind="topics")
    begun: list[int] = []

    def answer(_: Trial) -> dict[str, Any]:
        begun.append(1)
        house.delete(f"journalscope:alive:{trial.pk}")
        if len(begun) == 1:
            clusters.perform(str(trial.pk))
        return {}

    monkeypatch.setitem(clusters.ANSWERS, "topics", answer)
    clusters.perform(str(trial.pk))
    assert len(begun) == 1


def test_two_attempts_at_a_share_do_not_write_into_one_folder(
    waiting: Any, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = Share.objects.create(
        project=waiting.journal.project, inspection=waiting, journal_name="j", token_sha256="a", scope={},
        options={}, salt=b"", expires_at=timezone.now() + timedelta(days=1),
    )  # fmt: skip
    folders: list[Path] = []

    def make(made: Share) -> dict[str, Any]:
        folders.append(made.results.with_name(f"{made.pk}.partial"))
        if len(folders) == 1:
            lose_worker(share, house)
            shares.perform(str(share.pk))
        return {}

    monkeypatch.setattr(shares, "_make", make)
    shares.perform(str(share.pk))
    assert len(set(folders)) == 2
