"""The job log on a journal's page: stages with times and notes, kept after the worker's report is gone."""

from __future__ import annotations

import json
from typing import Any

from webapp.jobs import progress
from webapp.journals.models import Inspection

DONE = [
    {"name": "plan", "state": "done", "done": 0, "total": 0, "seconds": 0.4, "note": "7 files"},
    {"name": "decode", "state": "done", "done": 12, "total": 12, "seconds": 31.0, "note": "7 segments"},
]


def test_a_finished_one_keeps_its_log(done: Inspection, viewer: Any, sign_in: Any) -> None:
    done.summary |= {"log": DONE}
    done.save()
    page = sign_in(viewer).get(f"/journals/{done.journal_id}/").content.decode()
    for words in ("Job log", "7 segments", "31.0 s", "12 of 12 tasks", "1 file, 5 bytes"):
        assert words in page
    assert "every 1s" not in page


def test_a_running_one_tells_what_is_read_and_about_how_long_the_rest_takes(
    inspection: Inspection, house: Any, viewer: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=Inspection.State.RUNNING)
    running = DONE[1] | {"state": "running", "done": 3, "total": 12, "seconds": 12.0}
    house.set(
        progress.key("progress", inspection.pk), json.dumps({"stage": "decode", "stages": [DONE[0], running]})
    )
    log = sign_in(viewer).get(f"/inspections/{inspection.pk}/log/").content.decode()
    for words in ("3 of 12 tasks", "0.0 of 0.0 kB", "about 36.0 s left", "every 1s"):
        assert words in log
    assert (
        "about 36.0 s left" in sign_in(viewer).get(f"/inspections/{inspection.pk}/progress/").content.decode()
    )


def test_a_stranger_sees_no_log(done: Inspection, stranger: Any, sign_in: Any) -> None:
    assert sign_in(stranger).get(f"/inspections/{done.pk}/log/").status_code == 404
