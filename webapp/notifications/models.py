"""Who wants to be told of what, what there is to tell, and how far each delivery came."""

from __future__ import annotations

import uuid
from urllib.parse import urlsplit

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.accounts.sealing import seal, unseal
from webapp.notifications.services import JOURNALSCOPE, SERVICES, Service

DIGEST_HOUR = 7
SECRETS = "webhook"  # what they are sealed for


class Preferences(models.Model):
    """What a user gets mail about; nothing without a row or without kinds."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, related_name="notification_preferences", on_delete=models.CASCADE
    )
    kinds = models.JSONField(default=list, blank=True)
    is_digest = models.BooleanField(default=False, help_text="one mail a day instead of one for each")
    digest_hour = models.PositiveSmallIntegerField(default=DIGEST_HOUR, validators=[MaxValueValidator(23)])

    def __str__(self) -> str:
        return f"notifications of {self.user}"


class Channel(models.Model):
    """A list of mail addresses or a webhook that gets the notifications of a project."""

    class What(models.TextChoices):
        MAIL = "mail", "Mail"
        WEBHOOK = "webhook", "Webhook"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, related_name="channels", on_delete=models.CASCADE)
    what = models.CharField(max_length=10, choices=What.choices)
    service = models.CharField(
        max_length=20,
        default=JOURNALSCOPE,
        help_text="in whose form a webhook is sent",
    )
    target = models.CharField(
        max_length=1000,
        help_text="mail addresses set apart by commas, or the webhook's address; of one that is a secret its host",
    )
    sealed_address = models.TextField(blank=True, help_text="of a webhook whose address is a secret")
    sealed_secret = models.TextField(
        blank=True, help_text="signs what the webhook gets, or is its service's key"
    )
    kinds = models.JSONField(default=list, blank=True)
    is_digest = models.BooleanField(default=False, help_text="mail only")
    digest_hour = models.PositiveSmallIntegerField(default=DIGEST_HOUR, validators=[MaxValueValidator(23)])
    is_active = models.BooleanField(default=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("created_at",)

    def __str__(self) -> str:
        """Without the address, since this goes into the audit log and a webhook's URL may contain a token."""
        return f"{self.title} of {self.project}"

    @property
    def title(self) -> str:
        """What people call it: a webhook by its service."""
        is_own = self.what == self.What.MAIL or self.service == JOURNALSCOPE
        return str(self.get_what_display()) if is_own else self.takes.title

    @property
    def takes(self) -> Service:
        """What the service of a webhook needs."""
        return SERVICES[self.service]

    @property
    def is_signed(self) -> bool:
        """Whether it has a secret that we make."""
        return self.what == self.What.WEBHOOK and self.service == JOURNALSCOPE

    caution = ""  # about the target, on the row that was just made

    @property
    def secret(self) -> str:
        """Of a webhook, as its receiver knows it: signs what it gets, or is the service's key (`user:password`)."""
        return unseal(self.sealed_secret, SECRETS) if self.sealed_secret else ""

    @secret.setter
    def secret(self, text: str) -> None:
        self.sealed_secret = seal(text, SECRETS) if text else ""

    @property
    def address(self) -> str:
        """Of a webhook, in full. For workers only where it is a secret."""
        return unseal(self.sealed_address, SECRETS) if self.sealed_address else self.target

    def set_address(self, address: str) -> None:
        """Sealed if who knows it may post; the target then names the host alone."""
        self.target = address
        if self.what == self.What.WEBHOOK and self.takes.has_secret_address:
            parts = urlsplit(address)
            self.target, self.sealed_address = f"{parts.scheme}://{parts.netloc}/…", seal(address, SECRETS)

    @property
    def is_readable(self) -> bool:
        """Whether its secrets can be read: they were sealed with today's SECRET_KEY."""
        needs_secret = bool(self.sealed_secret) or self.is_signed
        return bool(self.address) and bool(self.secret or not needs_secret)

    @property
    def addresses(self) -> list[str]:
        """Mail addresses."""
        return [address.strip() for address in self.target.split(",") if address.strip()]


class Message(models.Model):
    """An event, told once. Contains names and numbers, never data of records."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=20)
    project = models.ForeignKey(Project, null=True, related_name="+", on_delete=models.CASCADE)
    subject = models.CharField(max_length=300)
    text = models.TextField(blank=True)
    path = models.CharField(max_length=1000, blank=True)
    dedupe_key = models.CharField(max_length=200)
    severity = models.CharField(max_length=10, default="info", help_text="of the worst finding it is about")
    about = models.CharField(
        max_length=100, blank=True, help_text="the same for all messages about one incident"
    )
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("kind", "project", "dedupe_key"), name="one_message_of_an_event")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class Delivery(models.Model):
    """A message to one user or one channel."""

    class State(models.TextChoices):
        WAITING = "waiting", "waits"
        SENDING = "sending", "is being sent"
        SENT = "sent", "sent"
        FAILED = "failed", "given up"
        DROPPED = "dropped", "not sent"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    message = models.ForeignKey(Message, related_name="deliveries", on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="+", on_delete=models.CASCADE)
    channel = models.ForeignKey(Channel, null=True, related_name="deliveries", on_delete=models.CASCADE)
    in_digest = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(default=timezone.now)
    claim = models.UUIDField(null=True, help_text="of the worker that sends it")
    claimed_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    last_error = models.TextField(blank=True, help_text="in words, for everybody who sees the delivery")
    detail = models.TextField(blank=True, help_text="what answered, for superusers")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-created_at", "pk")
        indexes = [models.Index(fields=("state", "next_try_at"), name="notifications_due")]
        constraints = [
            models.UniqueConstraint(fields=("message", "user"), name="one_delivery_to_a_user"),
            models.UniqueConstraint(fields=("message", "channel"), name="one_delivery_to_a_channel"),
            models.CheckConstraint(
                condition=Q(user=None) ^ Q(channel=None), name="delivery_to_one_recipient"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk}, {self.state}"
