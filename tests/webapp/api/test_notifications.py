"""Notifications, jobs and storage by API."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.audit.models import Event
from webapp.journals.models import Inspection, Journal
from webapp.notifications.models import Channel, Delivery, Message, Preferences

CHANNELS = "/projects/default/channels/"
OWN = "/me/notifications/"
WEBHOOK = {"what": "webhook", "target": "https://tickets.example.org/hook", "kinds": ["critical_found"]}


def test_one_chooses_what_to_be_told_of(owner: Any, program: Any) -> None:
    caller = program(owner, "review", "read")
    assert caller.get(OWN).json() == {"kinds": [], "is_digest": False, "digest_hour": 7}
    changed = caller.patch(OWN, {"kinds": ["due", "due"], "digest_hour": 23})
    assert changed.json() == {"kinds": ["due"], "is_digest": False, "digest_hour": 23}
    assert caller.patch(OWN, {"is_digest": True}).json()["kinds"] == ["due"]
    kept = Preferences.objects.get()
    assert (kept.user, kept.kinds, kept.is_digest, kept.digest_hour) == (owner, ["due"], True, 23)
    assert Event.objects.filter(action="notifications.changed", actor_name="owner").count() == 2
    assert caller.patch(OWN, {"kinds": ["weather"]}).status_code == 400
    assert program(owner, "read").patch(OWN, {"kinds": []}).status_code == 403


def test_one_sends_oneself_a_test(owner: Any, program: Any) -> None:
    sent = program(owner).post(f"{OWN}test/")
    assert (sent.status_code, sent.json()["kind"]) == (202, "test")
    assert Delivery.objects.get().user == owner
    owner.email = ""
    owner.save()
    assert program(owner).post(f"{OWN}test/").status_code == 409


def test_a_webhook_is_added_tested_changed_and_deleted(admin: Any, program: Any) -> None:
    caller = program(admin, "admin")
    made = caller.post(CHANNELS, WEBHOOK | {"is_digest": True})
    assert made.status_code == 201, made.content
    told, channel = made.json(), Channel.objects.get()
    assert (told["secret"], told["is_digest"]) == (channel.secret, False)
    one = f"{CHANNELS}{told['id']}/"
    del told["secret"], told["caution"]
    assert caller.get(one).json() == told
    assert caller.get(CHANNELS).json()["results"] == [told]
    assert caller.patch(one, {"is_active": False}).json() == told | {"is_active": False}
    sent = caller.post(f"{one}test/")
    assert sent.status_code == 202, sent.content
    (delivery,) = caller.get(f"{one}deliveries/").json()["results"]
    assert (delivery["id"], delivery["kind"]) == (sent.json()["id"], "test")
    renewed = caller.post(f"{one}secret/").json()["secret"]
    assert renewed == Channel.objects.get().secret != channel.secret
    assert caller.delete(one).status_code == 204
    assert not Channel.objects.exists()
    events = Event.objects.filter(action__startswith="channel.").order_by("pk")
    assert [event.action.partition(".")[2] for event in events] == [
        "created", "changed", "secret_renewed", "deleted",
    ]  # fmt: skip
    assert "example.org" not in str([event.detail for event in events])


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"target": "ftp://example.org"}, "target"),
        ({"what": "mail", "target": "nobody"}, "target"),
        ({"kinds": ["weather"]}, "kinds"),
        ({"digest_hour": 24}, "digest_hour"),
    ],
)
def test_a_channel_that_cannot_be_is_refused(
    admin: Any, program: Any, asked: dict[str, Any], field: str
) -> None:
    answer = program(admin).post(CHANNELS, WEBHOOK | asked)
    assert answer.status_code == 400
    assert answer.json()["field"].startswith(field)
    assert not Channel.objects.exists()


def test_a_service_is_added_with_its_key_which_is_never_told(admin: Any, program: Any) -> None:
    caller = program(admin, "admin")
    asked = {"what": "webhook", "service": "opsgenie", "key": "SECRETMARK", "kinds": ["critical_found"]}
    made = caller.post(CHANNELS, asked)
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["service"], told["target"], told["secret"]) == (
        "opsgenie", "https://api.opsgenie.com/v2/alerts", "",
    )  # fmt: skip
    assert "SECRETMARK" not in made.content.decode() + caller.get(CHANNELS).content.decode()
    assert Channel.objects.get().secret == "SECRETMARK"
    assert caller.post(f"{CHANNELS}{told['id']}/secret/").status_code == 409
    refused = caller.post(CHANNELS, asked | {"service": "pagerduty"})
    assert (refused.status_code, refused.json()["field"]) == (400, "key")


def test_mail_has_no_secret(admin: Any, program: Any) -> None:
    made = program(admin).post(CHANNELS, {"what": "mail", "target": "a@example.org; b@example.org"}).json()
    assert (made["target"], made["secret"]) == ("a@example.org, b@example.org", "")
    assert program(admin).post(f"{CHANNELS}{made['id']}/secret/").status_code == 409


def test_channels_jobs_and_storage_are_for_admins_with_a_token_for_it(
    admin: Any, reviewer: Any, stranger: Any, program: Any, project: Any, theirs: Any
) -> None:
    channel = Channel.objects.create(project=project, what="mail", target="a@example.org")
    hidden = Channel.objects.create(project=theirs.project, what="mail", target="HIDDENMARK@example.org")
    one = f"{CHANNELS}{channel.pk}/"
    calls = [
        ("GET", CHANNELS), ("POST", CHANNELS), ("GET", one), ("PATCH", one), ("DELETE", one),
        ("POST", f"{one}test/"), ("POST", f"{one}secret/"), ("GET", f"{one}deliveries/"),
        ("GET", "/jobs/"), ("GET", "/storage/"),
    ]  # fmt: skip
    for method, path in calls:
        assert program(reviewer).send(method, path, {}).status_code == 403, (method, path)
        assert program(admin, "read", "review").send(method, path, {}).status_code == 403, (method, path)
        assert program(stranger).send(method, path, {}).status_code == 404, (method, path)
        other = path.replace("default", theirs.project.slug).replace(str(channel.pk), str(hidden.pk))
        if other != path:
            assert program(admin).send(method, other, {}).status_code == 404, (method, other)
    assert program(admin).get(f"{CHANNELS}{hidden.pk}/").status_code == 404
    assert Channel.objects.count() == 2


def test_jobs_are_those_of_ones_projects(
    admin: Any, program: Any, project: Any, theirs: Any, owner: Any
) -> None:
    journal = Journal.objects.create(project=project, name="orders", created_by=owner)
    lost = Inspection.objects.create(journal=journal, state="failed", error="It broke.", requested_by=owner)
    Inspection.objects.create(journal=journal, state="queued")
    Inspection.objects.create(journal=theirs, state="failed", error="HIDDENMARK")
    answer = program(admin, "admin").get("/jobs/")
    told = answer.json()
    assert (told["waiting_count"], told["failed_count"], told["queue_length"]) == (1, 1, 0)
    (failed,) = told["failed"]
    assert (failed["id"], failed["kind"], failed["error"]) == (str(lost.pk), "inspection", "It broke.")
    assert (failed["asked_by"], failed["may_start_again"]) == ("owner", False)
    assert b"HIDDENMARK" not in answer.content


def test_storage_is_that_of_ones_projects(admin: Any, program: Any, inspected: Any, theirs: Any) -> None:
    journal = inspected().journal
    answer = program(admin, "admin").get("/storage/")
    told = answer.json()
    assert [one["project"] for one in told["projects"]] == ["default"]
    assert told["projects"][0]["result_bytes"] == told["total_bytes"] > 0
    assert [one["journal"] for one in told["largest"]] == [str(journal.pk)]
    assert told["site"] is None
    assert b"HIDDENMARK" not in answer.content


def test_a_delivery_that_was_given_up_is_sent_again(
    admin: Any, reviewer: Any, program: Any, project: Any
) -> None:
    channel = Channel.objects.create(project=project, what="mail", target="team@example.org")
    message = Message.objects.create(kind="test", project=project, subject="s", dedupe_key="d")
    lost = Delivery.objects.create(message=message, channel=channel, state="failed")
    again = f"/deliveries/{lost.pk}/retry/"
    assert program(reviewer).post(again).status_code == 404
    sent = program(admin, "admin").post(again)
    assert (sent.status_code, sent.json()["state"]) == (202, "waiting")
    Delivery.objects.update(state="sent")
    assert program(admin).post(again).status_code == 409
    Delivery.objects.create(message=message, user=reviewer)
    (own,) = program(reviewer).get("/me/notifications/deliveries/").json()["results"]
    assert own["subject"] == "s"
