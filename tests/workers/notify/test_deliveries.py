"""Mail and webhooks, sent for real to servers on this machine; tries, claims and digests."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import socketserver
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.workers.notify.receiver import Receiver, served
from webapp.accounts.models import Project
from webapp.notifications import channels, deliveries
from webapp.notifications.mail import NOT_DELIVERED
from webapp.notifications.models import Channel, Delivery
from workers.notify import deliveries as sending
from workers.notify import webhooks

pytestmark = pytest.mark.django_db


class MailServer(socketserver.ThreadingTCPServer):
    """As much of SMTP as smtplib speaks; keeps what arrives."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Session)
        self.mails: list[tuple[list[str], bytes]] = []
        self.refuses = False


class Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.say("220 ready")
        to: list[str] = []
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"RCPT":
                to.append(line.decode().partition("<")[2].partition(">")[0])
                self.say("550 no such mailbox" if self.server.refuses else "250 ok")
            elif word == b"DATA":
                self.say("354 go on")
                self.server.mails.append((to, b"".join(iter(self.rfile.readline, b".\r\n"))))
                self.say("250 kept")
            elif word == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@pytest.fixture
def mail_server(settings: Any) -> Iterator[MailServer]:
    server = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
    settings.EMAIL_CONFIGURED = True
    settings.PUBLIC_URL = "https://journals.example.org"
    yield from served(server)


@pytest.fixture
def webhook(project: Project, receiver: Receiver, admin: Any) -> Channel:
    return channels.create(project, admin, what="webhook", target=receiver.url, kinds=["critical_found"])


def states() -> list[str]:
    return sorted(Delivery.objects.values_list("state", flat=True))


def test_a_webhook_gets_a_signed_document_once(tell: Any, webhook: Channel, receiver: Receiver) -> None:
    tell()
    assert sending.send_due() == 1
    assert sending.send_due() == 0
    ((path, headers, body),) = receiver.posts
    delivery = Delivery.objects.get()
    assert path == "/hook?room=1"
    assert headers["Journalscope-Delivery"] == str(delivery.pk)
    assert headers["Journalscope-Event"] == "critical_found"
    moment, mark = (part.partition("=")[2] for part in headers["Journalscope-Signature"].split(","))
    wanted = hmac.new(webhook.secret.encode(), f"{moment}.".encode() + body, hashlib.sha256)
    assert hmac.compare_digest(mark, wanted.hexdigest())
    assert abs(int(moment) - timezone.now().timestamp()) < 60
    told = json.loads(body)
    assert (told["id"], told["kind"], told["project"]) == (str(delivery.pk), "critical_found", "default")
    assert (told["subject"], told["url"]) == ("1 critical finding in orders", "/review/7/")
    assert (delivery.state, delivery.tries, delivery.last_error) == ("sent", 1, "")


def test_a_secret_sealed_with_another_key_signs_nothing(
    tell: Any, webhook: Channel, receiver: Receiver, settings: Any
) -> None:
    settings.SECRET_KEY = "another one"
    tell()
    sending.send_due()
    assert receiver.posts == []
    assert "Make a new secret" in Delivery.objects.get().last_error


def test_a_failure_is_tried_again_with_growing_pauses_and_given_up_after_eight(
    tell: Any, webhook: Channel, receiver: Receiver
) -> None:
    receiver.status = 503
    tell()
    pauses = []
    for tries in range(1, 9):
        sending.send_due()
        delivery = Delivery.objects.get()
        assert (delivery.tries, delivery.last_error) == (tries, NOT_DELIVERED)
        assert delivery.detail == "The receiver answered 503."
        pauses.append((delivery.next_try_at - timezone.now()).total_seconds())
        assert sending.send_due() == 0
        Delivery.objects.update(next_try_at=timezone.now())
    assert delivery.state == "failed"
    assert [round(pause / 60) for pause in pauses[:7]] == [1, 3, 9, 27, 81, 243, 729]
    assert sum(pauses[:7]) < 24 * 3600
    ids = {headers["Journalscope-Delivery"] for _, headers, _ in receiver.posts}
    assert (len(receiver.posts), len(ids)) == (8, 1)
    receiver.status = 204
    assert deliveries.retry(delivery)
    sending.send_due()
    assert states() == ["sent"]


def test_a_round_ends_and_leaves_the_rest_to_the_next(
    tell: Any, webhook: Channel, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell("one")
    tell("two")
    monkeypatch.setattr(sending, "ROUND_SECONDS", 0)
    assert sending.send_due() == 0
    monkeypatch.undo()
    assert sending.send_due() == 2


def test_redirects_are_not_followed(tell: Any, webhook: Channel, receiver: Receiver) -> None:
    receiver.status = 307
    tell()
    sending.send_due()
    assert len(receiver.posts) == 1
    assert "307, a redirect" in Delivery.objects.get().detail


OFF_LIMITS = [
    "http://169.254.169.254/latest/", "https://192.0.0.192/", "https://[fd20:ce::254]/", "http://[::127.0.0.1]:{port}/",
    "http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::ffff:127.0.0.1]:{port}/", "https://10.0.0.1/",
    "https://192.168.1.1/", "https://100.64.0.1/", "https://[fd12::1]/", "http://0.0.0.0:{port}/", "http://2130706433:{port}/",
]  # fmt: skip


@pytest.mark.parametrize("url", OFF_LIMITS)
def test_an_address_off_limits_is_not_asked(
    tell: Any, webhook: Channel, receiver: Receiver, settings: Any, url: str
) -> None:
    settings.WEBHOOK_NETWORKS = []
    settings.WEBHOOKS_OVER_HTTP = True
    Channel.objects.update(target=url.format(port=receiver.server_address[1]))
    tell()
    sending.send_due()
    delivery = Delivery.objects.get()
    assert receiver.posts == []
    assert (delivery.state, delivery.last_error) == ("waiting", NOT_DELIVERED)
    assert "is not allowed" in delivery.detail
    assert "WEBHOOK_NETWORKS" in delivery.detail


def test_http_to_another_machine_needs_the_sites_consent(tell: Any, webhook: Channel, settings: Any) -> None:
    url = "http://93.184.216.34/hook?a=1"
    Channel.objects.update(target=url)
    tell()
    sending.send_due()
    assert "Use https" in Delivery.objects.get().detail
    settings.WEBHOOKS_OVER_HTTP = True
    target = webhooks.target_of(url)
    assert (target.path, target.addresses) == ("/hook?a=1", ("93.184.216.34",))


def test_what_answered_is_for_superusers_alone(
    tell: Any, webhook: Channel, receiver: Receiver, admin: Any, sign_in: Any
) -> None:
    from django.contrib.auth.models import User

    receiver.status = 418
    tell()
    sending.send_due()
    superuser = User.objects.create_superuser("superuser", password="a long pass phrase")
    page = "/notifications/projects/default/"
    api = f"/api/v1/projects/default/channels/{webhook.pk}/deliveries/"
    for path in (page, api):
        answers = {user: sign_in(user).get(path).content.decode() for user in (admin, superuser)}
        assert all("Not delivered" in answer for answer in answers.values())
        # as a word of its own: an id may have these digits, too
        assert not re.search(r"\b418\b", answers[admin])
        assert re.search(r"\b418\b", answers[superuser])


def test_a_receiver_that_is_not_there_or_silent_is_said_in_words(
    tell: Any, webhook: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    monkeypatch.setattr(webhooks, "TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        Channel.objects.update(target=f"http://127.0.0.1:{silent.getsockname()[1]}/")
        tell()
        sending.send_due()
        assert "did not answer within 0.2 s" in Delivery.objects.get().detail
    Delivery.objects.update(next_try_at=timezone.now())
    sending.send_due()
    assert "cannot be reached" in Delivery.objects.get().detail


def test_mail_arrives_with_a_link_and_a_way_to_end_it(
    tell: Any, viewer: Any, mail_server: MailServer
) -> None:
    channels.save_preferences(viewer, kinds=["critical_found"])
    tell(subject="1 critical finding in Größe")
    sending.send_due()
    ((to, data),) = mail_server.mails
    mail = message_from_bytes(data, policy=policy.default)
    delivery = Delivery.objects.get()
    assert to == ["viewer@example.org"]
    assert mail["Subject"] == "Journalscope: 1 critical finding in Größe"
    assert mail["Journalscope-Delivery"] == str(delivery.pk)
    assert str(delivery.pk) in mail["Message-ID"]
    text = mail.get_content()
    assert "- Content 2 is lost" in text
    assert "https://journals.example.org/review/7/" in text
    assert "https://journals.example.org/notifications/" in text


def test_a_digest_is_one_mail_with_everything_since(
    tell: Any, viewer: Any, mail_server: MailServer, project: Project, admin: Any
) -> None:
    channels.save_preferences(viewer, kinds=["critical_found"], is_digest=True)
    channels.create(
        project, admin, what="mail", target="a@example.org, b@example.org", kinds=["critical_found"]
    )
    tell("one", subject="The first")
    tell("two", subject="The second")
    assert sending.send_due() == 2  # the project's list is no digest
    assert [to for to, _ in mail_server.mails] == [["a@example.org", "b@example.org"]] * 2
    Delivery.objects.filter(state="waiting").update(next_try_at=timezone.now())
    assert sending.send_due() == 1
    to, data = mail_server.mails[-1]
    text = message_from_bytes(data, policy=policy.default).get_content()
    assert to == ["viewer@example.org"]
    assert "Subject: Journalscope: 2 notifications" in data.decode()
    assert text.index("The first") < text.index("The second")
    assert states() == ["sent"] * 4


def test_a_mail_server_that_refuses_is_tried_again(tell: Any, viewer: Any, mail_server: MailServer) -> None:
    mail_server.refuses = True
    channels.save_preferences(viewer, kinds=["critical_found"])
    tell()
    sending.send_due()
    delivery = Delivery.objects.get()
    assert delivery.state == "waiting"
    assert "The mail server rejected the message" in delivery.last_error
    assert "no such mailbox" in delivery.detail


def test_who_left_the_project_meanwhile_is_not_told(tell: Any, viewer: Any, mail_server: MailServer) -> None:
    channels.save_preferences(viewer, kinds=["critical_found"])
    tell()
    viewer.memberships.all().delete()
    sending.send_due()
    assert (states(), mail_server.mails) == (["dropped"], [])
    assert "no longer a member of the project" in Delivery.objects.get().last_error


def test_a_claim_is_held_by_one_worker(tell: Any, webhook: Channel) -> None:
    tell()
    (mine,) = deliveries.claim()
    assert deliveries.claim() == []
    Delivery.objects.update(claimed_at=timezone.now() - timedelta(minutes=6))
    assert deliveries.take_back() == 1
    Delivery.objects.update(next_try_at=timezone.now())
    (again,) = deliveries.claim()
    deliveries.sent([mine])  # the slow worker comes back
    assert states() == ["sending"]
    deliveries.sent([again])
    assert states() == ["sent"]


def test_a_delivery_whose_worker_dies_each_time_is_given_up(tell: Any, webhook: Channel) -> None:
    tell()
    for _ in range(8):
        Delivery.objects.update(next_try_at=timezone.now())
        assert deliveries.claim()
        Delivery.objects.update(claimed_at=timezone.now() - timedelta(minutes=6))
        deliveries.take_back()
    assert states() == ["failed"]


def test_a_defect_is_recorded_and_the_others_go_on(
    tell: Any, webhook: Channel, viewer: Any, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Delivery) -> None:
        raise KeyError

    monkeypatch.setattr(webhooks, "send", broken)
    channels.save_preferences(viewer, kinds=["critical_found"])
    tell()
    sending.send_due()
    assert states() == ["sent", "waiting"]
    assert "a bug in Journalscope" in Delivery.objects.get(state="waiting").last_error


PREPARE = """
from webapp.accounts.models import Project
from webapp.notifications.models import Channel, Delivery, Message
made = Channel.objects.create(project=Project.objects.get(slug="default"), what="webhook", target={url!r}, secret="s")
for n in range(40):
    told = Message.objects.create(kind="test", subject="x", dedupe_key=str(n))
    Delivery.objects.create(message=told, channel=made)
"""
WORK = "from workers.notify import deliveries; print(deliveries.send_due())"
LOOK = "from webapp.notifications.models import Delivery; print(sorted(set(Delivery.objects.values_list('state', 'tries'))))"


@pytest.mark.slow
@pytest.mark.long
def test_two_workers_at_once_send_each_delivery_once(receiver: Receiver, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "JOURNALSCOPE_DATA": str(tmp_path),
        "WEBHOOK_NETWORKS": "loopback",
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
    }

    def start(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, *words], env=environment, stdout=subprocess.PIPE, text=True)

    def run(code: str) -> subprocess.Popen[str]:
        return start("-c", f"import django; django.setup()\n{code}")

    assert start("manage.py", "migrate", "--verbosity", "0").wait(120) == 0
    assert run(PREPARE.format(url=receiver.url)).wait(60) == 0
    workers = [run(WORK) for _ in range(3)]
    done = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    ids = [headers["Journalscope-Delivery"] for _, headers, _ in receiver.posts]
    assert (len(ids), len(set(ids)), sum(done)) == (40, 40, 40)
    assert run(LOOK).communicate(timeout=60)[0].strip() == "[('sent', 1)]"
