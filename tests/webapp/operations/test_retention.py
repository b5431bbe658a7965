"""Retention: the preview, the hold, the daily run, and the project's page for them."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.journals import deletion
from webapp.journals.disk import storage
from webapp.journals.models import Inspection, Journal
from webapp.journals.removal import removal_of
from webapp.operations.retention import over
from webapp.rejected import Rejected
from workers.retention import remove_what_is_over

PAGE = "/operations/projects/default/retention/"


def test_the_preview_counts_rows_and_the_bytes_that_no_other_journal_uses(make: Any) -> None:
    gone, kept = make("gone", b"shared bytes"), make("kept", b"shared bytes")
    removal = removal_of([gone])
    assert (removal.journals, removal.files, removal.file_bytes, removal.inspections) == (1, 1, 12, 1)
    assert (removal.result_bytes, removal.freed_bytes) == (100, 100)
    assert removal_of([gone, kept]).freed_bytes == 212
    assert removal.parts == ["1 journal", "1 file (12 bytes)", "1 inspection (results 100 bytes)"]
    assert removal.sentence.endswith("This frees 100 bytes of disk.")


def test_the_preview_is_what_a_deletion_then_removes(make: Any, settings: Any) -> None:
    journal = make("gone", b"0123456789")
    removal, blob = removal_of([journal]), journal.uploads.get().blob_id
    deletion.delete_journal(journal)
    assert removal.freed_bytes == 110
    assert not storage.exists(blob)
    assert not Journal.objects.exists()
    assert removal_of([journal]).sentence.startswith("Removed for everybody: 1 journal")


def test_the_daily_run_deletes_what_is_older_and_says_so_in_the_log(make: Any, project: Any) -> None:
    old, young = make("old", b"1", days=31), make("young", b"2", days=29)
    Project.objects.filter(pk=project.pk).update(retention_days=30)
    remove_what_is_over()
    assert list(Journal.objects.values_list("name", flat=True)) == [young.name]
    event = Event.objects.get(action="journal.deleted")
    assert (event.actor_name, event.target_id, event.project_id) == ("", str(old.pk), project.pk)
    assert event.detail["why"] == "retention"
    assert event.detail["retention_days"] == 30
    assert Event.objects.get(action="retention.ran").detail == {"journals": 1}
    remove_what_is_over()
    assert Event.objects.filter(action="retention.ran").count() == 1


def test_nothing_ends_without_a_number_of_days(make: Any) -> None:
    make("old", days=4000)
    remove_what_is_over()
    assert Journal.objects.count() == 1


@pytest.mark.parametrize("held", ["project", "journal"])
def test_a_hold_keeps_from_the_daily_run_and_from_everybody(
    make: Any, project: Any, held: str, owner: Any, superuser: Any, sign_in: Any
) -> None:
    journal = make("old", days=31)
    Project.objects.filter(pk=project.pk).update(retention_days=30, is_on_hold=held == "project")
    Journal.objects.filter(pk=journal.pk).update(is_on_hold=held == "journal")
    remove_what_is_over()
    inspection, upload = journal.inspections.get(), journal.uploads.get()
    for user in (owner, superuser):
        for path in (f"journals/{journal.pk}", f"inspections/{inspection.pk}", f"uploads/{upload.pk}"):
            page = sign_in(user).post(f"/{path}/delete/", follow=True).content.decode()
            assert "is under legal hold, so nothing" in page
    assert Inspection.objects.filter(journal=journal).exists()
    assert upload.blob_id
    assert storage.exists(upload.blob_id)
    with pytest.raises(Rejected, match="An admin of the project can end the hold"):
        deletion.delete_journal(journal)


def test_an_upload_that_never_arrived_may_go_under_a_hold(owner: Any, project: Any) -> None:
    from webapp.journals import uploads

    journal = uploads.announce(owner, project, "", [("a", 5), ("b", 5)])
    Journal.objects.update(is_on_hold=True)
    deletion.delete_upload(journal.uploads.get(name="a"))
    assert journal.uploads.count() == 1


def test_a_journal_that_is_being_inspected_waits_for_the_next_run(
    make: Any, project: Any, house: Any
) -> None:
    from webapp.jobs import progress

    journal = make("old", days=31)
    Project.objects.filter(pk=project.pk).update(retention_days=30)
    journal.inspections.update(state="running")
    house.set(progress.key("alive", journal.inspections.get().pk), 1)
    remove_what_is_over()
    assert Journal.objects.exists()
    assert not Event.objects.filter(action__in=["journal.deleted", "retention.ran"]).exists()


def test_what_is_over_soon_is_counted(make: Any, project: Any) -> None:
    make("old", b"1", days=31), make("soon", b"2", days=25), make("young", b"3", days=2)
    assert [over(project, 30).count(), over(project, 30, ahead_days=7).count()] == [1, 2]


@pytest.mark.parametrize(
    ("who", "status"), [("admin", 200), ("reviewer", 403), ("owner", 403), ("viewer", 403), ("stranger", 404)]
)
def test_only_admins_see_and_change_retention(
    request: Any, sign_in: Any, project: Any, house: Any, who: str, status: int
) -> None:
    client = sign_in(request.getfixturevalue(who))
    assert client.get(PAGE).status_code == status
    assert client.get(f"{PAGE}preview/").status_code == status
    saved = client.post(f"{PAGE}save/", {"retention_days": "30"})
    assert saved.status_code == (302 if status == 200 else status)
    assert Project.objects.get(pk=project.pk).retention_days == (30 if status == 200 else None)


def test_another_project_s_retention_does_not_exist(
    admin: Any, elsewhere: Project, sign_in: Any, house: Any
) -> None:
    client = sign_in(admin)
    assert client.get("/operations/projects/elsewhere/retention/").status_code == 404
    assert client.post("/operations/projects/elsewhere/retention/save/").status_code == 404


def test_a_change_is_an_event_and_a_number_that_is_none_says_so(
    admin: Any, project: Any, sign_in: Any
) -> None:
    client = sign_in(admin)
    client.post(f"{PAGE}save/", {"retention_days": "90", "is_on_hold": "on"})
    event = Event.objects.get(action="retention.changed")
    assert event.detail == {"retention_days": 90, "is_on_hold": True}
    answer = client.post(f"{PAGE}save/", {"retention_days": "0"})
    assert answer.status_code == 422
    assert "greater than or equal to 1" in answer.content.decode()
    assert Project.objects.get(pk=project.pk).retention_days == 90


def test_the_preview_answers_for_days_that_are_not_saved_yet(make: Any, admin: Any, sign_in: Any) -> None:
    make("old", days=31)
    client = sign_in(admin)
    assert "1 journal, 1 file" in client.get(f"{PAGE}preview/?retention_days=30").content.decode()
    assert (
        "no journal is older than 40 days" in client.get(f"{PAGE}preview/?retention_days=40").content.decode()
    )
    assert "not a number of days" in client.get(f"{PAGE}preview/?retention_days=x").content.decode()
    assert Journal.objects.exists()


@pytest.mark.parametrize(("who", "status"), [("admin", 302), ("owner", 403), ("stranger", 404)])
def test_only_admins_hold_a_journal(make: Any, request: Any, sign_in: Any, who: str, status: int) -> None:
    journal = make("journal")
    client = sign_in(request.getfixturevalue(who))
    assert client.post(f"/operations/journals/{journal.pk}/hold/", {"hold": "1"}).status_code == status
    journal.refresh_from_db()
    assert journal.is_on_hold == (status == 302)
    assert Event.objects.filter(action="journal.held").count() == (status == 302)


def test_the_journal_s_page_says_what_deleting_removes(make: Any, owner: Any, sign_in: Any) -> None:
    journal = make("journal")
    page = sign_in(owner).get(f"/journals/{journal.pk}/").content.decode()
    assert "1 file (5 bytes) and 1 inspection (results 100 bytes)" in page
    Journal.objects.update(is_on_hold=True)
    page = sign_in(owner).get(f"/journals/{journal.pk}/").content.decode()
    assert "journal is under legal hold" in page
    assert "Delete this journal?" not in page
