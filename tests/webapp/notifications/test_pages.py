"""Pages of notifications: one's own, a project's for its admins, and nobody else's."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from webapp.audit.models import Event
from webapp.notifications import channels
from webapp.notifications.models import Channel, Delivery, Preferences
from webapp.notifications.services import SERVICES

CHANNELS = "/notifications/projects/default/"


def test_one_chooses_what_to_be_told_of(sign_in: Any, viewer: Any) -> None:
    browser = sign_in(viewer)
    page = browser.get("/notifications/").content.decode()
    assert " checked" not in page
    assert "It goes to viewer@example.org" in page
    sent = {"kinds": ["assigned", "due"], "is_digest": "on", "digest_hour": "5"}
    assert browser.post("/notifications/save/", sent).status_code == 302
    kept = Preferences.objects.get(user=viewer)
    assert (kept.kinds, kept.is_digest, kept.digest_hour) == (["assigned", "due"], True, 5)
    page = browser.get("/notifications/").content.decode()
    assert page.count(" checked") == 3
    assert '<option value="5" selected>' in page
    assert browser.post("/notifications/save/", {"kinds": ["everything"]}).status_code == 422


def test_without_a_mail_server_a_sentence_says_so(sign_in: Any, viewer: Any, settings: Any) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_CONFIGURED = "django.core.mail.backends.smtp.EmailBackend", False
    browser = sign_in(viewer)
    page = browser.get("/notifications/").content.decode()
    assert "Mail is not configured on this server" in page
    assert "Send a test" not in page
    browser.post("/notifications/test/")
    assert not Delivery.objects.exists()


def test_a_test_goes_the_way_of_all_others(sign_in: Any, viewer: Any) -> None:
    browser = sign_in(viewer)
    browser.post("/notifications/test/")
    delivery = Delivery.objects.get()
    assert (delivery.user, delivery.message.kind, delivery.state) == (viewer, "test", "waiting")
    assert "This is a test" in browser.get("/notifications/").content.decode()


def test_an_admin_adds_a_webhook_and_sees_its_secret_once(sign_in: Any, admin: Any) -> None:
    browser = sign_in(admin)
    sent = {"what": "webhook", "target": "https://example.org/hook", "kinds": ["critical_found"]}
    browser.post(f"{CHANNELS}add/", sent)
    channel = Channel.objects.get()
    assert len(channel.secret) >= 40
    assert channel.secret in browser.get(CHANNELS).content.decode()
    assert channel.secret not in browser.get(CHANNELS).content.decode()
    browser.post(f"{CHANNELS}{channel.pk}/secret/")
    renewed = Channel.objects.get().secret
    assert renewed != channel.secret
    assert renewed in browser.get(CHANNELS).content.decode()
    assert channel.secret not in str(list(Event.objects.values()))


@pytest.mark.parametrize(
    ("what", "target", "said"),
    [
        ("webhook", "ftp://example.org", "not an address such as"),
        ("webhook", "https://0x7f.1/hook", "127.0.0.1) is this machine, which is not allowed"),
        ("webhook", "https://a:b@example.org", "Leave name and password out"),
        ("mail", "team@example.org, nobody", "nobody is not a mail address"),
        ("mail", "", "Enter at least one mail address, such as team@example.org."),
    ],
)
def test_a_target_that_does_not_do_is_refused(
    sign_in: Any, admin: Any, what: str, target: str, said: str
) -> None:
    answer = sign_in(admin).post(f"{CHANNELS}add/", {"what": what, "target": target})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Channel.objects.exists()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"service": "pagerduty", "key": "short"}, "Enter the integration key of PagerDuty. It has 32 characters."),
        ({"service": "opsgenie", "key": "two words"}, "Enter the api key of Opsgenie. It has ASCII characters only"),
        ({"service": "opsgenie", "key": "key\nHost: evil"}, "Enter the api key of Opsgenie."),
        ({"service": "slack"}, "Enter the webhook&#x27;s address. It begins with https://."),
        ({"service": "servicenow", "target": "https://example.org/", "user": "a", "key": "b"}, "ends in /table/incident."),
        (
            {"service": "servicenow", "target": "https://example.org/api/now/table/incident", "key": "b"},
            "Enter the user of ServiceNow incident, a name without a colon.",
        ),
        ({"service": "weather"}, "Select a valid choice"),
    ],
)  # fmt: skip
def test_what_a_service_does_not_take_is_refused(
    sign_in: Any, admin: Any, typed: dict[str, str], said: str
) -> None:
    answer = sign_in(admin).post(f"{CHANNELS}add/", {"what": "webhook", "target": "", **typed})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Channel.objects.exists()


def test_an_admin_adds_a_service_with_its_usual_address(sign_in: Any, admin: Any) -> None:
    browser = sign_in(admin)
    key = "k" * 32
    sent = {
        "what": "webhook",
        "service": "pagerduty",
        "key": key,
        "user": "left over",
        "kinds": ["critical_found"],
    }
    page = browser.post(f"{CHANNELS}add/", sent, follow=True).content.decode()
    channel = Channel.objects.get()
    assert (channel.service, channel.secret) == ("pagerduty", key)
    assert "PagerDuty to https://events.pagerduty.com/v2/enqueue" in page
    assert key not in page
    assert "New secret" not in page
    browser.post(f"{CHANNELS}{channel.pk}/secret/")
    assert Channel.objects.get().secret == key
    for service in SERVICES.values():
        assert service.title in page


def test_a_channel_is_one_row_and_the_form_says_only_what_applies(
    sign_in: Any, admin: Any, webhook: Channel
) -> None:
    page = sign_in(admin).get(CHANNELS).content.decode()
    row = page[page.index("channel-row") : page.index("</summary>")]
    assert webhook.target in row
    assert "Nothing was sent yet" in row
    assert "1 event" in row or "events" in row
    new = page[page.index("Add a channel") :]
    assert '<p class="form-hint" data-for="mail">Mail addresses' in new
    assert '<div data-for="mail">' in new[: new.index("Time of the daily mail")]
    assert "PagerDuty, Opsgenie: empty" not in new
    assert ">Service</label>" in new


def test_mail_has_no_service(sign_in: Any, admin: Any) -> None:
    sent = {"what": "mail", "service": "pagerduty", "target": "a@example.org", "key": "typed before"}
    sign_in(admin).post(f"{CHANNELS}add/", sent)
    channel = Channel.objects.get()
    assert (channel.service, channel.sealed_secret, channel.title) == ("journalscope", "", "Mail")


def test_a_name_that_does_not_resolve_is_taken_with_a_caution(sign_in: Any, admin: Any) -> None:
    sent = {"what": "webhook", "target": "https://hooks.invalid/a"}
    page = sign_in(admin).post(f"{CHANNELS}add/", sent, follow=True).content.decode()
    assert "The name hooks.invalid does not resolve at the moment." in page
    assert Channel.objects.get().target == "https://hooks.invalid/a"


def test_an_admin_changes_tests_and_deletes(sign_in: Any, admin: Any, webhook: Channel) -> None:
    browser = sign_in(admin)
    address = f"{CHANNELS}{webhook.pk}/"
    browser.post(f"{address}save/", {"kinds": ["due"], "digest_hour": "7"})
    webhook.refresh_from_db()
    assert (webhook.kinds, webhook.is_active) == (["due"], False)
    assert "Switched off<" in browser.get(CHANNELS).content.decode()
    browser.post(f"{address}test/")
    assert Delivery.objects.get().channel == webhook
    browser.post(f"{address}delete/")
    assert (Channel.objects.count(), Delivery.objects.count()) == (0, 0)
    actions = set(Event.objects.values_list("action", flat=True))
    assert {"channel.created", "channel.changed", "channel.deleted"} <= actions


def test_deliveries_are_tried_again_at_once(sign_in: Any, admin: Any, webhook: Channel) -> None:
    delivery = channels.send_test(channel=webhook)
    Delivery.objects.filter(pk=delivery.pk).update(
        state="failed", tries=8, last_error="The receiver answered 500."
    )
    browser = sign_in(admin)
    page = browser.get(CHANNELS).content.decode()
    assert "Trouble" in page
    assert "The receiver answered 500." in page
    assert browser.post(f"/notifications/deliveries/{delivery.pk}/retry/").headers["Location"] == CHANNELS
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries) == ("waiting", 0)
    Delivery.objects.filter(pk=delivery.pk).update(state="sent")
    browser.post(f"/notifications/deliveries/{delivery.pk}/retry/")
    delivery.refresh_from_db()
    assert delivery.state == "sent"


@pytest.mark.parametrize("who", ["viewer", "owner", "reviewer"])
def test_channels_are_for_admins(who: str, request: Any, sign_in: Any, webhook: Channel) -> None:
    browser = sign_in(request.getfixturevalue(who))
    assert browser.get(CHANNELS).status_code == 403
    for path in ("add/", *(f"{webhook.pk}/{verb}/" for verb in ("save", "test", "secret", "delete"))):
        assert browser.post(CHANNELS + path).status_code == 403
    assert Channel.objects.get().secret == webhook.secret


def test_for_a_stranger_there_is_nothing(sign_in: Any, stranger: Any, viewer: Any, webhook: Channel) -> None:
    delivery = channels.send_test(user=viewer)
    browser = sign_in(stranger)
    assert browser.get("/notifications/").status_code == 404
    assert browser.get(CHANNELS).status_code == 404
    for path in ("save/", "test/", f"deliveries/{delivery.pk}/retry/"):
        assert browser.post(f"/notifications/{path}").status_code == 404
    for path in ("add/", *(f"{webhook.pk}/{verb}/" for verb in ("save", "test", "secret", "delete"))):
        assert browser.post(CHANNELS + path).status_code == 404


def test_an_admin_of_another_project_sees_nothing_of_this_one(
    sign_in: Any, stranger: Any, webhook: Channel
) -> None:
    from webapp.accounts.models import Project

    Project.objects.create(slug="other", name="Other").memberships.create(user=stranger, role="admin")
    browser = sign_in(stranger)
    assert browser.get(CHANNELS).status_code == 404
    assert browser.post(f"/notifications/projects/other/{webhook.pk}/delete/").status_code == 404
    delivery = channels.send_test(channel=webhook)
    assert browser.post(f"/notifications/deliveries/{delivery.pk}/retry/").status_code == 404
    assert browser.post(f"/notifications/deliveries/{uuid4()}/retry/").status_code == 404
