"""Each service's form, added as an admin adds it and sent to a real server: what arrives, again and again the same."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.utils import timezone

from tests.workers.notify.receiver import Receiver
from webapp.audit.models import Event
from webapp.notifications import channels
from webapp.notifications.forms import NewChannelForm
from webapp.notifications.models import Channel, Delivery
from webapp.notifications.services import SERVICES
from workers.notify import deliveries as sending

pytestmark = pytest.mark.django_db

TYPED = {
    "pagerduty": {"key": "SECRETMARK".ljust(32, "x")},
    "opsgenie": {"key": "SECRETMARK-1"},
    "jira": {"key": "SECRETMARK-2"},
    "servicenow": {"user": "robot", "key": "SECRETMARK 3"},
    "servicenow-event": {"user": "robot", "key": "SECRETMARK 4"},
}
FOREIGN = [name for name in SERVICES if name != "journalscope"]


@pytest.fixture
def add(project: Any, admin: Any, receiver: Receiver) -> Any:
    """`add("slack")`: with the receiver in place of the service."""

    def added(service: str, **more: Any) -> Channel:
        address = f"http://127.0.0.1:{receiver.server_address[1]}/SECRETPATH{SERVICES[service].path}"
        typed = {"what": "webhook", "service": service, "target": address, "kinds": ["critical_found"]}
        form = NewChannelForm(typed | TYPED.get(service, {}) | more)
        assert form.is_valid(), form.errors
        return channels.create(project, admin, **form.cleaned_data)

    return added


@pytest.mark.parametrize("service", FOREIGN)
def test_a_service_gets_its_form_once(
    service: str, add: Any, tell: Any, receiver: Receiver, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://journals.example.org"
    add(service)
    tell(severity="high", about="incident:a:b")
    assert (sending.send_due(), sending.send_due()) == (1, 0)
    ((path, headers, body),) = receiver.posts
    assert path == f"/SECRETPATH{SERVICES[service].path}"
    assert headers["Content-Type"] == "application/json"
    assert not any(name.startswith("Journalscope-") for name in headers)
    assert "1 critical finding in orders" in json.dumps(json.loads(body))
    assert Delivery.objects.get().state == "sent"


@pytest.mark.parametrize("service", FOREIGN)
def test_a_test_arrives_in_the_services_form(service: str, add: Any, receiver: Receiver) -> None:
    channels.send_test(channel=add(service))
    assert sending.send_due() == 1
    assert "This is a test" in receiver.posts[0][2].decode()


@pytest.mark.parametrize(
    ("service", "member"),
    [("pagerduty", "dedup_key"), ("opsgenie", "alias"), ("servicenow", "correlation_id")],
)
def test_tries_and_later_messages_of_an_incident_have_one_key_and_others_their_own(
    service: str, member: str, add: Any, tell: Any, receiver: Receiver
) -> None:
    add(service)
    receiver.status = 503
    tell("first", about="incident:a:b")
    sending.send_due()
    receiver.status = 202
    Delivery.objects.update(next_try_at=timezone.now())
    sending.send_due()
    tell("second", about="incident:a:b")
    tell("third")
    tell("fourth")
    while sending.send_due():
        pass
    keys = [json.loads(body)[member] for _, _, body in receiver.posts]
    assert keys[:3] == ["incident:a:b"] * 3
    assert len(set(keys[2:])) == 3


@pytest.mark.parametrize("service", FOREIGN)
def test_what_a_service_trusts_is_stored_sealed_and_never_told(
    service: str, add: Any, tell: Any, receiver: Receiver, admin: Any, sign_in: Any, caplog: Any
) -> None:
    receiver.status = 500
    caplog.set_level(logging.INFO)
    channel = add(service)
    tell()
    sending.send_due()
    page = "/notifications/projects/default/"
    api = "/api/v1/projects/default/channels/"
    client = sign_in(admin)
    told = [
        client.get(page).content.decode(),
        client.get(api).content.decode(),
        client.get(f"{api}{channel.pk}/").content.decode(),
        client.get(f"{api}{channel.pk}/deliveries/").content.decode(),
        str(list(Event.objects.values())),
        str(list(Channel.objects.values())),
        str(list(Delivery.objects.values())),
        caplog.text,
    ]
    assert not any("SECRETMARK" in text for text in told)
    if SERVICES[service].has_secret_address:
        assert not any("SECRETPATH" in text for text in told)
        assert "http://127.0.0.1:" in told[0]


@pytest.mark.parametrize("service", FOREIGN)
def test_secrets_sealed_with_another_key_send_nothing(
    service: str, add: Any, tell: Any, receiver: Receiver, settings: Any
) -> None:
    add(service)
    settings.SECRET_KEY = "another one"
    tell()
    sending.send_due()
    assert receiver.posts == []
    assert "Delete the webhook and add it again." in Delivery.objects.get().last_error


def test_a_service_whose_address_is_off_limits_is_not_asked(
    add: Any, tell: Any, receiver: Receiver, settings: Any
) -> None:
    add("slack")
    settings.WEBHOOK_NETWORKS = []
    tell()
    sending.send_due()
    assert receiver.posts == []
    assert "WEBHOOK_NETWORKS" in Delivery.objects.get().detail
