"""The progress page, with a real Redis behind it."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from webapp.jobs import kinds, progress
from webapp.journals.models import Inspection

State = Inspection.State
LONG_AGO = timedelta(minutes=1)


@pytest.fixture
def running(inspection: Inspection, house: Any) -> Inspection:
    """With a worker that told of its progress and is alive."""
    inspection.state, inspection.started_at, inspection.attempts = State.RUNNING, timezone.now() - LONG_AGO, 1
    inspection.save()
    stages = [
        {"name": name, "state": "waiting", "done": 0, "total": 0, "seconds": 0, "note": ""}
        for name in kinds.named("inspection").stages
    ]
    stages[0] |= {"state": "done", "seconds": 0.31}
    stages[1] |= {"state": "running", "done": 1200, "total": 4800, "seconds": 3.14, "note": "7 segments"}
    house.set(progress.key("progress", inspection.pk), json.dumps({"stage": "decode", "stages": stages}))
    house.set(progress.key("alive", inspection.pk), 1, ex=10)
    return inspection


def fragment(client: Any, inspection: Inspection) -> str:
    return client.get(f"/inspections/{inspection.pk}/progress/").content.decode()


def test_a_queued_one_tells_its_place(
    inspection: Inspection, make_journal: Any, viewer: Any, sign_in: Any
) -> None:
    second = make_journal(files={"b": b"2"}).inspections.get()
    assert "It is the next one." in fragment(sign_in(viewer), inspection)
    assert "It is number 2 in the queue." in fragment(sign_in(viewer), second)


def test_a_running_one_shows_stages_counts_and_seconds(
    running: Inspection, viewer: Any, sign_in: Any
) -> None:
    text = fragment(sign_in(viewer), running)
    for words in (
        "1,200 of 4,800 tasks",
        "7 segments",
        "3.1 s",
        "0.3 s",
        'max="4800" value="1200"',
        "every 500ms",
    ):
        assert words in text
    assert "Cancel" not in text


def test_the_page_polls_until_it_is_over(running: Inspection, owner: Any, sign_in: Any) -> None:
    for state in (State.FAILED, State.CANCELLED):
        Inspection.objects.update(state=state)
        assert "hx-trigger" not in fragment(sign_in(owner), running)


def test_an_ended_one_shows_how_far_it_came_and_nothing_that_still_runs(
    running: Inspection, owner: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=State.FAILED)
    stages = re.findall(
        r'<li class="is-(\w+)">.*?"stage-name">(\w+)', fragment(sign_in(owner), running), re.DOTALL
    )
    assert stages == [("done", "plan"), ("stopped", "decode")]


def test_a_finished_one_sends_the_browser_to_its_report(done: Inspection, viewer: Any, sign_in: Any) -> None:
    report = f"/inspections/{done.pk}/report/"
    assert sign_in(viewer).get(f"/inspections/{done.pk}/progress/")["HX-Redirect"] == report
    assert sign_in(viewer).get(f"/inspections/{done.pk}/")["Location"] == report


def test_a_failed_one_says_why_and_can_be_retried(
    inspection: Inspection, owner: Any, sign_in: Any, sent: Any, django_capture_on_commit_callbacks: Any
) -> None:
    Inspection.objects.update(
        state=State.FAILED, error="The archive is encrypted. Upload it without a password."
    )
    client = sign_in(owner)
    assert "The archive is encrypted." in client.get(f"/inspections/{inspection.pk}/").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/inspections/{inspection.pk}/retry/")
    newest = inspection.journal.latest
    assert (newest.state, newest.pk == inspection.pk) == (State.QUEUED, False)
    assert sent()[-1][1] == f"['{newest.pk}']"


def test_without_its_files_a_failed_one_is_not_started_again(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=State.FAILED, error="The disk is full.")
    inspection.journal.uploads.all().delete()
    client = sign_in(owner)
    page = fragment(client, inspection)
    assert "the files were deleted meanwhile" in page
    assert "Retry" not in page
    answer = client.post(f"/inspections/{inspection.pk}/retry/", follow=True).content.decode()
    assert "Upload them again" in answer
    assert Inspection.objects.count() == 1


def test_a_silent_worker_is_named_and_the_inspection_can_be_started_again(
    running: Inspection, house: Any, owner: Any, sign_in: Any
) -> None:
    client = sign_in(owner)
    assert "gone silent" not in fragment(client, running)
    house.delete(progress.key("alive", running.pk))
    assert "The worker is not responding" in fragment(client, running)
    client.post(f"/inspections/{running.pk}/retry/")
    running.refresh_from_db()
    assert running.state == State.FAILED
    assert running.journal.latest.state == State.QUEUED


def test_a_worker_that_just_started_is_not_called_silent(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=State.RUNNING, started_at=timezone.now())
    assert "gone silent" not in fragment(sign_in(owner), inspection)


def test_what_runs_is_not_started_twice(running: Inspection, owner: Any, sign_in: Any) -> None:
    sign_in(owner).post(f"/inspections/{running.pk}/retry/")
    assert Inspection.objects.count() == 1


def test_cancelling_a_queued_one_is_immediate(inspection: Inspection, owner: Any, sign_in: Any) -> None:
    sign_in(owner).post(f"/inspections/{inspection.pk}/cancel/")
    inspection.refresh_from_db()
    assert inspection.state == State.CANCELLED
    assert inspection.finished_at


def test_cancelling_a_running_one_leaves_word_for_the_worker(
    running: Inspection, house: Any, owner: Any, sign_in: Any
) -> None:
    sign_in(owner).post(f"/inspections/{running.pk}/cancel/")
    running.refresh_from_db()
    assert running.state == State.RUNNING
    assert house.exists(progress.key("cancel", running.pk))


def test_cancelling_one_whose_worker_is_gone_is_immediate(
    running: Inspection, house: Any, owner: Any, sign_in: Any
) -> None:
    house.delete(progress.key("alive", running.pk))
    sign_in(owner).post(f"/inspections/{running.pk}/cancel/")
    running.refresh_from_db()
    assert running.state == State.CANCELLED


def test_without_redis_the_page_still_answers(
    running: Inspection, settings: Any, owner: Any, sign_in: Any
) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    progress.connection.cache_clear()
    assert "The queue cannot be reached" in fragment(sign_in(owner), running)
    page = sign_in(owner).post(f"/inspections/{running.pk}/cancel/", follow=True)
    assert "Is Redis running?" in page.content.decode()


@pytest.mark.parametrize("action", ["cancel", "retry"])
def test_a_viewer_neither_cancels_nor_retries(
    running: Inspection, viewer: Any, sign_in: Any, action: str
) -> None:
    assert sign_in(viewer).post(f"/inspections/{running.pk}/{action}/").status_code == 403


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", ""), ("get", "progress/"), ("post", "cancel/"), ("post", "retry/"), ("post", "delete/")],
)
def test_a_stranger_gets_404(
    running: Inspection, stranger: Any, sign_in: Any, method: str, path: str
) -> None:
    assert getattr(sign_in(stranger), method)(f"/inspections/{running.pk}/{path}").status_code == 404


def test_a_part_of_a_page_sends_the_signed_out_to_the_sign_in(running: Inspection, client: Any) -> None:
    current = f"http://testserver/inspections/{running.pk}/"
    response = client.get(f"{current}progress/", HTTP_HX_REQUEST="true", HTTP_HX_CURRENT_URL=current)
    assert response["HX-Redirect"] == f"/accounts/login/?next=%2Finspections%2F{running.pk}%2F"


def read_as(client: Any, inspection: Inspection, topic: str, dialect: str) -> Any:
    return client.post(f"/inspections/{inspection.pk}/read-as/", {"topic": topic, "dialect": dialect})


def test_a_topic_can_be_read_as_another_journal(inspection: Inspection, owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    read_as(client, inspection, "_schemas", "plain")
    again = inspection.journal.latest
    assert (again.pk != inspection.pk, again.read_as, again.state) == (
        True,
        {"_schemas": "plain"},
        State.QUEUED,
    )
    read_as(client, again, "orders", "connect")
    assert inspection.journal.latest.read_as == {"_schemas": "plain", "orders": "connect"}


def test_a_retry_keeps_the_choice(inspection: Inspection, owner: Any, sign_in: Any) -> None:
    Inspection.objects.update(state=State.FAILED, read_as={"_schemas": "plain"})
    sign_in(owner).post(f"/inspections/{inspection.pk}/retry/")
    assert inspection.journal.latest.read_as == {"_schemas": "plain"}


@pytest.mark.parametrize(
    ("topic", "dialect"), [("_schemas", "no-such"), ("", "plain"), ("_schemas", "../plain")]
)
def test_what_is_no_choice_is_answered_with_a_sentence(
    inspection: Inspection, owner: Any, sign_in: Any, topic: str, dialect: str
) -> None:
    answer = read_as(sign_in(owner), inspection, topic, dialect)
    assert answer.status_code == 302
    assert Inspection.objects.count() == 1


def test_a_viewer_cannot_choose(inspection: Inspection, viewer: Any, sign_in: Any) -> None:
    assert read_as(sign_in(viewer), inspection, "_schemas", "plain").status_code == 403
    assert Inspection.objects.count() == 1


def given_format(client: Any, inspection: Inspection, text: str) -> Any:
    return client.post(f"/inspections/{inspection.pk}/text-format/", {"format": text}, follow=True)


def test_a_format_of_kcat_is_kept_and_the_journal_inspected_again(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    Inspection.objects.update(read_as={"orders": "plain"})
    given_format(sign_in(owner), inspection, r"'%o|%k|%s\n'")
    again = inspection.journal.latest
    assert (again.pk != inspection.pk, again.text_format, again.read_as) == (
        True,
        r"%o|%k|%s\n",
        {"orders": "plain"},
    )
    read_as(sign_in(owner), again, "orders", "connect")
    assert inspection.journal.latest.text_format == r"%o|%k|%s\n"


def test_a_retry_keeps_the_format(inspection: Inspection, owner: Any, sign_in: Any) -> None:
    Inspection.objects.update(state=State.FAILED, text_format="%k %s")
    sign_in(owner).post(f"/inspections/{inspection.pk}/retry/")
    assert inspection.journal.latest.text_format == "%k %s"


def test_what_is_no_format_is_answered_with_a_sentence(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    page = given_format(sign_in(owner), inspection, "%t").content.decode()
    assert "is not a format of kcat" in page
    assert Inspection.objects.count() == 1


def test_an_inspection_that_failed_asks_for_the_format(
    inspection: Inspection, owner: Any, viewer: Any, sign_in: Any
) -> None:
    place = {"file": "pasted.txt", "is_text": True, "rows": [[1, "", "text"]], "stopped": 1}
    Inspection.objects.update(
        state=State.FAILED, error="pasted.txt was not recognised.", summary={"unread": place}
    )
    field = 'name="format"'
    assert field in sign_in(owner).get(f"/inspections/{inspection.pk}/").content.decode()
    assert field not in sign_in(viewer).get(f"/inspections/{inspection.pk}/").content.decode()
    assert given_format(sign_in(viewer), inspection, "%k").status_code == 403


QUESTION = {
    "file": "orders.csv",
    "title": "a table with a comma between columns",
    "sentence": "orders.csv is a table with a comma between columns: 3 rows.",
    "columns": [{"label": "KEY", "text": "KEY"}, {"label": "a, b", "text": '"a, b"'}],
    "rows": [["k1", "<b>v1</b>"], ["k2", None]],
    "guess": {"value": '"a, b"'},
    "mapping": 'value="a, b"',
}


def test_unknown_columns_are_asked_for_with_the_guess_selected(
    inspection: Inspection, owner: Any, viewer: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=State.FAILED, error="orders.csv is ..", summary={"question": QUESTION})
    page = sign_in(owner).get(f"/inspections/{inspection.pk}/").content.decode()
    assert "orders.csv is a table with a comma between columns: 3 rows." in page
    assert "&lt;b&gt;v1&lt;/b&gt;" in page
    assert '<option value="&quot;a, b&quot;" selected>a, b</option>' in page
    assert page.count(" selected>") == 1
    seen = sign_in(viewer).get(f"/inspections/{inspection.pk}/").content.decode()
    assert "&lt;b&gt;v1&lt;/b&gt;" in seen
    assert '<select class="form-select" id="column-key"' not in seen


def test_the_columns_that_are_selected_are_kept_and_the_journal_inspected_again(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=State.FAILED, summary={"question": QUESTION})
    posted = {"key": "KEY", "value": '"a, b"', "offset": ""}
    sign_in(owner).post(f"/inspections/{inspection.pk}/text-format/", posted)
    assert inspection.journal.latest.text_format == 'key=KEY,value="a, b"'


def test_no_column_selected_is_answered_with_a_sentence(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    Inspection.objects.update(state=State.FAILED, summary={"question": QUESTION})
    path = f"/inspections/{inspection.pk}/text-format/"
    page = sign_in(owner).post(path, {"offset": "KEY"}, follow=True).content.decode()
    assert "A record needs a key or a value" in page
    assert Inspection.objects.count() == 1
