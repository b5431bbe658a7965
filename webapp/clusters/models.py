"""Clusters of a project, what was asked of them, what was captured from them, and captures that are repeated.

Only workers speak to a cluster. Secrets are sealed with a key made of SECRET_KEY and are never shown again; none of
these models is registered in Django's administration.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.accounts.sealing import seal, unseal
from webapp.jobs.models import SingleJob, one_on_its_way
from webapp.journals.models import Journal

SEALED_FOR = "cluster"
# Minutes between the runs of a watch -> words.
SCHEDULES = {
    5: "every 5 minutes",
    15: "every 15 minutes",
    60: "every hour",
    6 * 60: "every 6 hours",
    24 * 60: "every day",
    7 * 24 * 60: "every week",
}
SECRETS = ("key_pem", "key_password", "password", "token", "client_secret", "registry_password")


class Cluster(models.Model):
    class Protocol(models.TextChoices):
        """Kafka's `security.protocol`."""

        PLAINTEXT = "PLAINTEXT", "PLAINTEXT: no encryption, no sign-in"
        SSL = "SSL", "SSL: TLS, sign-in by certificate if any"
        SASL_PLAINTEXT = "SASL_PLAINTEXT", "SASL_PLAINTEXT: sign-in without encryption"
        SASL_SSL = "SASL_SSL", "SASL_SSL: TLS and sign-in"

    class Mechanism(models.TextChoices):
        """Kafka's `sasl.mechanism`."""

        PLAIN = "PLAIN", "PLAIN: user name and password"
        SCRAM_256 = "SCRAM-SHA-256", "SCRAM-SHA-256: user name and password"
        SCRAM_512 = "SCRAM-SHA-512", "SCRAM-SHA-512: user name and password"
        OAUTHBEARER = "OAUTHBEARER", "OAUTHBEARER: token"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, related_name="clusters", on_delete=models.CASCADE)
    name = models.CharField(max_length=60)
    bootstrap = models.TextField(help_text="bootstrap servers, `host:port` set apart by commas")
    protocol = models.CharField(max_length=20, choices=Protocol.choices, default=Protocol.PLAINTEXT)
    ca_pem = models.TextField(blank=True, help_text="own certificate authorities; empty: those of the system")
    certificate_pem = models.TextField(blank=True, help_text="client certificate with its chain")
    check_host_name = models.BooleanField(default=True)
    mechanism = models.CharField(max_length=20, choices=Mechanism.choices, blank=True)
    username = models.CharField(max_length=200, blank=True)
    token_url = models.CharField(max_length=500, blank=True, help_text="gives tokens for client credentials")
    client_id = models.CharField(max_length=200, blank=True)
    scope = models.CharField(max_length=500, blank=True, help_text="asked of `token_url`")
    registry_url = models.CharField(max_length=500, blank=True, help_text="schema registry")
    registry_username = models.CharField(max_length=200, blank=True)
    registry_ca_pem = models.TextField(blank=True)
    sealed_secrets = models.TextField(blank=True, help_text="JSON of those of SECRETS that are set, sealed")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=("project", "name"), name="one_cluster_per_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def servers(self) -> list[str]:
        """Bootstrap servers as `host:port`."""
        return [server.strip() for server in self.bootstrap.split(",") if server.strip()]

    @property
    def secrets(self) -> dict[str, str]:
        """Those of SECRETS that are set. Raises SealBroken. For workers only."""
        if not self.sealed_secrets:
            return {}
        text = unseal(self.sealed_secrets, SEALED_FOR)
        if not text:
            raise SealBroken(self.name)
        return json.loads(text)

    @secrets.setter
    def secrets(self, texts: dict[str, str]) -> None:
        stored = {name: texts[name] for name in SECRETS if texts.get(name)}
        self.sealed_secrets = seal(json.dumps(stored), SEALED_FOR) if stored else ""


class SealBroken(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"The secrets of the cluster {name} cannot be read: SECRET_KEY has changed since they were saved. "
            "Enter them again on the cluster's page, or start Journalscope with the earlier key."
        )


class Trial(SingleJob):
    """A question to a cluster that a page waits for; answered within seconds."""

    class Kind(models.TextChoices):
        TRIAL = "trial", "what works, step by step"
        TOPICS = "topics", "which topics there are"
        ESTIMATE = "estimate", "how much a capture would be"
        ADVICE = "advice", "which formats and clients go together"

    cluster = models.ForeignKey(Cluster, related_name="trials", on_delete=models.CASCADE)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    asked = models.JSONField(
        default=dict, blank=True, help_text="a `CaptureSpec` for estimates, a topic for advice"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    result = models.JSONField(null=True, help_text="the answer; of a trial, its steps so far")

    class Meta:
        ordering = ("-requested_at",)
        indexes = [models.Index(fields=("cluster", "kind", "-requested_at"), name="newest_trial")]
        constraints = [one_on_its_way("trial")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.cluster} ({self.state})"


class Watch(models.Model):
    """A repeated capture; each run starts where the last one stopped."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    cluster = models.ForeignKey(Cluster, related_name="watches", on_delete=models.CASCADE)
    topic = models.CharField(max_length=249)
    asked = models.JSONField(help_text="the `CaptureSpec` of its first capture")
    every_minutes = models.PositiveIntegerField(default=60)
    next_at = models.DateTimeField(default=timezone.now, db_index=True)
    is_on = models.BooleanField(default=True)
    failures = models.PositiveSmallIntegerField(default=0, help_text="in a row")
    error = models.TextField(
        blank=True, help_text="why its last run could not begin, or why it was switched off"
    )
    lineage = models.UUIDField(default=uuid.uuid4, editable=False, help_text="of its journals")
    last_capture = models.ForeignKey(
        "Capture", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("cluster", "topic")
        constraints = [models.UniqueConstraint(fields=("cluster", "topic"), name="one_watch_of_a_topic")]

    def __str__(self) -> str:
        return f"{self.topic} of {self.cluster}"

    @property
    def schedule_words(self) -> str:
        """`every hour`."""
        return SCHEDULES.get(self.every_minutes, f"every {self.every_minutes:,} minutes")


class Capture(SingleJob):
    """Records of one topic on their way to a journal. It outlives its cluster, and goes with its journal.

    Pausing ends the worker's attempt; what was captured stays in `folder`, and the next attempt goes on from there.
    """

    class RequestedAction(models.TextChoices):
        """What a user requested of the running capture; the worker checks every second."""

        NONE = "", "continue"
        PAUSE = "pause"
        STOP = "stop", "end; make a journal of the captured records"

    project = models.ForeignKey(Project, related_name="captures", on_delete=models.CASCADE)
    cluster = models.ForeignKey(Cluster, null=True, related_name="captures", on_delete=models.SET_NULL)
    cluster_name = models.CharField(max_length=60)
    topic = models.CharField(max_length=249)
    asked = models.JSONField(help_text="`CaptureSpec` of workers/capture/ask.py")
    created_at = models.DateTimeField(auto_now_add=True)
    wish = models.CharField(
        max_length=5, choices=RequestedAction.choices, blank=True, default=RequestedAction.NONE
    )
    journal = models.ForeignKey(Journal, null=True, related_name="captures", on_delete=models.CASCADE)
    watch = models.ForeignKey(Watch, null=True, related_name="captures", on_delete=models.SET_NULL)
    manifest = models.JSONField(null=True, help_text="journalscope-capture.json, once it is over")
    size_bytes = models.BigIntegerField(default=0, help_text="captured so far; counts against the quota")

    class Meta:
        ordering = ("-created_at",)
        constraints = [one_on_its_way("capture")]

    def __str__(self) -> str:
        return f"{self.topic} of {self.cluster_name} ({self.state})"

    @property
    def is_over(self) -> bool:
        return super().is_over and self.state != self.State.PAUSED

    @property
    def folder(self) -> Path:
        """Contains the segments until they become files of a journal."""
        return Path(settings.CAPTURES_DIR) / str(self.id)
