"""Watches: when a run begins, what it goes on from, what its journal is made of, and when it is given up."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.generator.segment import Record, batch, segment_name
from tests.webapp.clusters.conftest import ASKED, captured, connected, watched
from webapp.clusters import watches as changes
from webapp.clusters.models import Capture, Watch
from webapp.journals.models import Journal
from webapp.notifications.models import Channel, Message
from workers import watches
from workers.capture.manifest import CapturedPartition, CapturedRange, CaptureManifest
from workers.jobs.runner import perform
from workers.kinds import capture as capturing
from workers.kinds.previous_segments import merged

pytestmark = pytest.mark.usefixtures("house")

COMPACT = {"cleanup.policy": {"value": "compact", "source": "topic"}}


@pytest.fixture
def watch(project: Any, admin: Any) -> Watch:
    return watched(connected(project), created_by=admin)


def again(watch: Watch) -> Watch:
    """A minute in which it is due."""
    Watch.objects.filter(pk=watch.pk).update(next_at=timezone.now() - timedelta(seconds=1))
    watches.start_due()
    return Watch.objects.get(pk=watch.pk)


def over(capture: Capture | None, state: str, **members: Any) -> None:
    assert capture is not None
    Capture.objects.filter(pk=capture.pk).update(state=state, finished_at=timezone.now(), **members)


def told(first: int, following: int, **members: Any) -> dict[str, Any]:
    """A manifest of offsets `first` to `following`, not included, of one partition."""
    segments = [f"orders-0/{segment_name(first)}"] if following > first else []
    one = CapturedPartition(
        partition=0, leader=1, leader_epoch=0, replicas=[1], in_sync=[1],
        log_start_offset=0, high_watermark=following, last_stable_offset=following,
        at_start={"log_start_offset": 0, "high_watermark": following},
        asked={"from_offset": first, "to_offset": following},
        got=CapturedRange(first if segments else None, following, 1 if segments else 0, 99),
        segments=segments,
    )  # fmt: skip
    for name, value in members.items():
        setattr(one, name, value)
    manifest = CaptureManifest(
        started_at_ms=1_700_000_000_000, finished_at_ms=1_700_000_060_000, captured_by="admin", tool="Journalscope",
        cluster={"name": "staging", "id": "c", "controller": 1, "bootstrap": []},
        topic={"name": "orders", "id": "t", "is_internal": False, "configs": COMPACT},
        partitions=[one],
    )  # fmt: skip
    return manifest.as_json()


def kept(capture: Capture | None, manifest: dict[str, Any]) -> Capture:
    """The capture as the engine leaves it, kept as a journal."""
    assert capture is not None
    for name in manifest["partitions"][0]["segments"]:
        path = capture.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(batch([Record(b"k", b"v")], base_offset=int(Path(name).stem)))
    capture.folder.mkdir(parents=True, exist_ok=True)
    (capture.folder / "journalscope-capture.json").write_text(json.dumps(manifest))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(capturing, "capture_into_folder", lambda *_: None)
        perform(capturing.KIND, str(capture.pk))
    return Capture.objects.get(pk=capture.pk)


def files(journal: Journal | None) -> list[str]:
    assert journal is not None
    return list(journal.uploads.exclude(blob=None).order_by("name").values_list("name", flat=True))


def test_a_due_watch_captures_and_waits_for_its_next_turn(watch: Watch) -> None:
    found = again(watch)
    assert found.last_capture is not None
    assert (found.last_capture.state, found.last_capture.asked) == ("queued", ASKED)
    assert found.next_at > timezone.now() + timedelta(minutes=59)
    watches.start_due()
    assert watch.captures.count() == 1


def test_a_watch_that_is_off_or_not_due_captures_nothing(watch: Watch) -> None:
    Watch.objects.update(next_at=timezone.now() + timedelta(minutes=1))
    watches.start_due()
    Watch.objects.update(is_on=False)
    again(watch)
    assert watch.captures.count() == 0


@pytest.mark.parametrize("state", ["queued", "running", "paused"])
def test_no_second_run_begins_while_one_is_unfinished(watch: Watch, state: str) -> None:
    over(again(watch).last_capture, state)
    again(watch)
    assert watch.captures.count() == 1


def test_the_next_run_goes_on_where_the_last_stopped(watch: Watch) -> None:
    kept(again(watch).last_capture, told(0, 5))
    found = again(watch).last_capture
    assert found is not None
    assert found.asked == {**ASKED, "start": {"offsets": {"0": 5}}, "topic_id": "t"}


def test_the_journal_of_a_later_run_has_the_earlier_segments_too(watch: Watch) -> None:
    first = kept(again(watch).last_capture, told(0, 5))
    second = kept(again(watch).last_capture, told(5, 9))
    assert files(first.journal) == ["journalscope-capture.json", f"orders-0/{segment_name(0)}"]
    assert files(second.journal) == [*files(first.journal), f"orders-0/{segment_name(5)}"]
    assert second.journal is not None
    assert first.journal is not None
    assert second.journal.lineage == first.journal.lineage
    assert second.journal.complete_at is not None
    assert second.journal.latest is not None
    assert second.manifest is not None
    (partition,) = second.manifest["partitions"]
    assert partition["asked"] == {"from_offset": 0, "to_offset": 9}
    assert partition["got"] == {"first_offset": 0, "next_offset": 9, "batches": 2, "size_bytes": 198}


def test_a_run_without_news_makes_no_journal_and_the_next_goes_on_from_the_same_place(watch: Watch) -> None:
    kept(again(watch).last_capture, told(0, 5))
    idle = kept(again(watch).last_capture, told(5, 5))
    assert (idle.state, idle.journal) == ("done", None)
    following = again(watch).last_capture
    assert following is not None
    assert following.asked["start"] == {"offsets": {"0": 5}}


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"stopped_by": "topic-recreated"}, "deleted and created again"),
        ({"stopped_by": "truncated"}, "truncated below"),
        ({"at_start": {"log_start_offset": 7, "high_watermark": 9}}, "deleted records before"),
    ],
    ids=["recreated", "truncated", "head deleted"],
)
def test_another_log_is_captured_afresh(watch: Watch, members: dict[str, Any], says: str) -> None:
    kept(again(watch).last_capture, told(0, 5))
    broken = kept(again(watch).last_capture, told(7, 9, **members))
    assert (broken.state, broken.journal) == ("cancelled", None)
    assert says in broken.error
    fresh = Watch.objects.get().last_capture
    assert fresh is not None
    assert fresh.asked == ASKED
    assert files(kept(fresh, told(7, 9)).journal)[1:] == [f"orders-0/{segment_name(7)}"]


def test_an_earlier_journal_that_lost_a_file_is_captured_afresh(watch: Watch) -> None:
    first = kept(again(watch).last_capture, told(0, 5))
    assert first.journal is not None
    first.journal.uploads.filter(name__endswith=".log").delete()
    assert "were deleted" in kept(again(watch).last_capture, told(5, 9)).error


def test_what_the_cleaner_may_have_taken_since_is_said_once_and_only_of_compacted_topics() -> None:
    first = merged(told(0, 5), told(5, 9))
    second = merged(first, told(9, 12))
    (event,) = second["partitions"][0]["events"]
    assert event["kind"] == "captured-before"
    assert event["says"].startswith("Offsets 0 to 8 were captured until 2023-11-14 22:14 UTC, so")
    plain = told(0, 5)
    plain["topic"]["configs"] = {}
    assert merged(plain, told(5, 9))["partitions"][0]["events"] == []


def test_what_the_broker_deleted_since_is_said() -> None:
    found = merged(told(0, 5), told(5, 9, log_start_offset=3))
    says = [event["says"] for event in found["partitions"][0]["events"]]
    assert says[0].startswith("Offsets 0 to 2 were captured until")
    assert "has deleted them since" in says[0]
    assert says[1].startswith("Offsets 3 to 4")


def test_a_new_partition_is_taken_as_it_is() -> None:
    grown = told(5, 9)
    grown["partitions"].append({**told(0, 3)["partitions"][0], "partition": 1})
    found = merged(told(0, 5), grown)
    assert [(one["partition"], one["got"]["first_offset"]) for one in found["partitions"]] == [(0, 0), (1, 0)]


def test_failures_make_the_pauses_longer_and_then_end_it(watch: Watch, project: Any) -> None:
    Channel.objects.create(project=project, what="mail", target="team@example.org", kinds=["watch_stopped"])
    pauses = []
    for _ in range(changes.MAX_FAILURES):
        watch = again(watch)
        pauses.append(round((watch.next_at - timezone.now()) / timedelta(hours=1)))
        over(watch.last_capture, "failed", error="No broker answers.")
    assert pauses == [1, 2, 4, 8, 16]
    watch = again(watch)
    assert (watch.is_on, watch.error) == (False, "No broker answers.")
    assert watch.captures.count() == 1, "a failed run is gone on with"
    assert Message.objects.get().subject == "The watch of orders of staging was switched off"


def test_a_run_that_is_refused_is_a_failure_too(watch: Watch, project: Any) -> None:
    project.quota_bytes = 0
    project.save()
    captured(watch.cluster, size_bytes=5)
    for _ in range(changes.MAX_FAILURES):
        watch = again(watch)
    assert watch.captures.count() == 0
    assert not watch.is_on
    assert "has no room for" in watch.error


def test_success_forgets_failures(watch: Watch) -> None:
    over(again(watch).last_capture, "failed")
    watch = again(watch)
    assert watch.failures == 1
    over(watch.last_capture, "done")
    assert again(watch).failures == 0
