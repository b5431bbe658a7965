"""Progress: what the pages read is what the worker wrote."""

from __future__ import annotations

import pytest

from webapp.jobs import kinds
from webapp.jobs import progress as page
from workers.jobs.progress import Cancelled, Progress, WorkerStops


def stages(inspection_id: str) -> dict[str, tuple[str, int, int]]:
    told = page.read(inspection_id)
    return {stage["name"]: (stage["state"], stage["done"], stage["total"]) for stage in told["stages"]}


def test_a_stage_that_begins_ends_the_one_before(house):
    progress = Progress("one", kinds.named("inspection").stages)
    progress.stage("plan", "3 files")
    progress.stage("decode")
    progress.tasks(2, 8)
    assert page.read("one")["stage"] == "decode"
    assert stages("one")["plan"] == ("done", 0, 0)
    assert stages("one")["decode"] == ("running", 2, 8)
    assert stages("one")["relate"] == ("waiting", 0, 0)
    assert page.read("one")["stages"][0]["note"] == "3 files"


def test_a_stage_that_is_done_has_all_its_tasks_done(house):
    progress = Progress("one", kinds.named("inspection").stages)
    progress.stage("decode")
    progress.tasks(7, 8)
    progress.finish()
    assert stages("one")["decode"] == ("done", 8, 8)


def test_the_first_reason_to_stop_counts(house):
    progress = Progress("one", kinds.named("inspection").stages)
    progress.raise_if_cancelled()
    progress.stop(Cancelled())
    progress.stop(WorkerStops())
    with pytest.raises(Cancelled):
        progress.raise_if_cancelled()
