"""Findings as people work them off, what happened to them, and filters that people keep.

A finding is one row for all inspections of all dumps of a journal (its lineage): the fingerprint is the `id` that
docs/report.md describes. What the newest inspection says stands beside what people decided; neither undoes the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from spark.terms.marked import UNNAMED, partition_name
from webapp.accounts.models import Project
from webapp.journals.models import Inspection, Journal
from webapp.review.states import DONE, OPEN, FindingState, Presence


class FindingQuerySet(models.QuerySet["Finding"]):
    def counted(self) -> FindingQuerySet:
        """Without those of sample journals."""
        return self.exclude(journal__is_sample=True)

    def causes(self) -> FindingQuerySet:
        """Neither a consequence of another finding nor a mere remark."""
        return self.filter(is_root=True).exclude(severity="info")

    def open(self) -> FindingQuerySet:
        """Causes that somebody still has to do something about, of journals that are no samples."""
        return self.counted().causes().filter(state__in=OPEN).exclude(presence=Presence.GONE)


class Finding(models.Model):
    """One finding of one journal, the same row in all its inspections."""

    lineage = models.UUIDField(help_text="Journal.lineage: the journal through all its dumps")
    fingerprint = models.CharField(max_length=40, help_text="`id` in report.json")
    project = models.ForeignKey(Project, related_name="findings", on_delete=models.CASCADE)
    journal = models.ForeignKey(
        Journal, null=True, related_name="findings", on_delete=models.SET_NULL, help_text="the newest dump"
    )
    last_inspection = models.ForeignKey(
        Inspection, null=True, on_delete=models.SET_NULL, related_name="+", help_text="the last to see it"
    )

    # what the last inspection says
    detector = models.CharField(max_length=200, db_index=True)
    detector_version = models.CharField(max_length=40, blank=True)
    severity = models.CharField(max_length=10)
    rank = models.PositiveSmallIntegerField(help_text="of the severity: 0 is the worst")
    position = models.PositiveIntegerField(default=0, help_text="among those of equal rank, as in the report")
    confidence = models.CharField(max_length=10, blank=True)
    title = models.TextField()
    topic = models.CharField(max_length=255)
    partition = models.IntegerField(null=True)
    replica = models.TextField(blank=True)
    key = models.TextField(null=True)
    first_offset = models.BigIntegerField(null=True)
    last_offset = models.BigIntegerField(null=True)
    evidence_count = models.PositiveIntegerField(default=0)
    proof_offsets = models.TextField(
        blank=True, help_text="` 251 279 `: offsets of the records that prove it, for the search"
    )
    is_root = models.BooleanField(default=True, help_text="no consequence of another finding")
    incident = models.CharField(
        max_length=40,
        blank=True,
        help_text="what findings with one cause share; the fingerprint for one without",
    )
    incident_title = models.TextField(blank=True, help_text="of an incident of several findings")

    # what people decided
    state = models.CharField(max_length=20, choices=FindingState.choices, default=FindingState.NEW)
    decided_at = models.DateTimeField(null=True, help_text="when a user last set the state")
    decided_alone = models.BooleanField(
        default=False,
        help_text="apart from the other findings of its incident: their decisions leave it as it is",
    )
    suppressed_until = models.DateTimeField(null=True, help_text="empty: until the finding changes")
    suppressed_digest = models.TextField(blank=True, help_text="what it looked like when it was suppressed")
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="findings"
    )
    due_at = models.DateTimeField(null=True)

    # when
    created_at = models.DateTimeField(auto_now_add=True)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    presence = models.CharField(max_length=10, choices=Presence.choices, default=Presence.CREATED)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ("rank", "due_at", "position", "pk")
        constraints = [
            models.UniqueConstraint(fields=("lineage", "fingerprint"), name="one_row_per_finding"),
        ]
        indexes = [
            models.Index(fields=("project", "state", "rank", "due_at"), name="review_queue"),
            models.Index(fields=("lineage", "incident"), name="review_incident"),
            models.Index(
                fields=("project", "assignee"), name="review_open", condition=Q(state__in=OPEN, is_root=True)
            ),
        ]

    def __str__(self) -> str:
        """Without the title: titles name what is in the journal, and this stands in logs."""
        return f"{self.detector} in {self.partition_name}"

    def get_absolute_url(self) -> str:
        return reverse("review-finding", args=[self.pk])

    @property
    def partition_name(self) -> str:
        """As people write it: `topic-0`, or the topic alone."""
        if self.topic == UNNAMED:
            return "topic and partition unknown"
        return self.topic if self.partition is None else partition_name(self.topic, self.partition)

    @property
    def incident_url(self) -> str:
        """The page of its incident; its own where it is alone."""
        return reverse("review-incident", args=[self.pk]) if self.incident_title else self.get_absolute_url()

    @property
    def incident_key(self) -> tuple[UUID, str]:
        """Equal for all findings of one incident."""
        return self.lineage, self.incident

    @property
    def digest(self) -> str:
        """What a suppression holds for: when it differs, the finding has changed."""
        return f"{self.severity}|{self.evidence_count}|{self.title}"

    @property
    def is_open(self) -> bool:
        """Whether a decision or work is pending."""
        return self.state in OPEN

    @property
    def is_done(self) -> bool:
        return self.state in DONE

    @property
    def is_not_mended(self) -> bool:
        """Whether it was resolved, and a dump that came later still shows it."""
        if self.state != FindingState.RESOLVED or self.presence == Presence.GONE or not self.journal:
            return False
        return self.decided_at is not None and self.journal.created_at > self.decided_at

    @property
    def is_overdue(self) -> bool:
        return self.is_open and self.due_at is not None and self.due_at < timezone.now()

    @property
    def state_words(self) -> str:
        """`suppressed until 2026-12-01`."""
        return state_words(self.state, self.suppressed_until)


def state_words(state: str, until: datetime | None = None) -> str:
    if state != FindingState.SUPPRESSED:
        return str(FindingState(state).label)
    return f"suppressed until {until:%Y-%m-%d}" if until else "suppressed until it changes"


class Intake(models.Model):
    """An inspection whose findings are in the queue; a healthy one has none, and that is worth knowing, too."""

    inspection = models.OneToOneField(Inspection, related_name="intake", on_delete=models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"findings of {self.inspection_id}"


class Sighting(models.Model):
    """A finding in the report of an inspection."""

    finding = models.ForeignKey(Finding, related_name="sightings", on_delete=models.CASCADE)
    inspection = models.ForeignKey(Inspection, related_name="sightings", on_delete=models.CASCADE)
    severity = models.CharField(max_length=10)
    title = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("finding", "inspection"), name="one_sighting_per_inspection")
        ]

    def __str__(self) -> str:
        return f"{self.finding_id} in {self.inspection_id}"


class Change(models.Model):
    """One step in a finding's history: who changed what, from what to what, and why. Rows are only added."""

    class What(models.TextChoices):
        STATE = "state"
        ASSIGNEE = "assignee"
        DUE = "due"
        PRESENCE = "presence"
        SEVERITY = "severity"

    finding = models.ForeignKey(Finding, related_name="changes", on_delete=models.CASCADE)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", help_text="empty: Journalscope"
    )  # fmt: skip
    what = models.CharField(max_length=10, choices=What.choices)
    before = models.CharField(max_length=150, blank=True)
    after = models.CharField(max_length=150, blank=True)
    until = models.DateTimeField(null=True, help_text="of a suppression")
    why = models.TextField(blank=True)
    inspection = models.ForeignKey(Inspection, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ("-at", "-pk")
        indexes = [models.Index(fields=("finding", "what", "at"), name="review_history")]

    def __str__(self) -> str:
        return f"{self.what}: {self.before} -> {self.after}"


def by_project(changes: Iterable[Change]) -> dict[int, list[Change]]:
    """Changes of findings by the project that these are in: each project has its own audit log and notices."""
    projects: dict[int, list[Change]] = defaultdict(list)
    for change in changes:
        projects[change.finding.project_id].append(change)
    return projects


class Comment(models.Model):
    finding = models.ForeignKey(Finding, related_name="comments", on_delete=models.CASCADE)
    at = models.DateTimeField(default=timezone.now)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    text = models.TextField()
    mentions = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    records = models.JSONField(
        default=list, help_text="attached: [{inspection, topic, partition, replica, offset}]"
    )

    class Meta:
        ordering = ("at", "pk")

    def __str__(self) -> str:
        return f"comment on {self.finding_id}"


class SavedFilter(models.Model):
    """A filter under a name, of the queue or of the records of one journal type: one's own, or shared by a project."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, related_name="review_filters", on_delete=models.CASCADE
    )
    project = models.ForeignKey(
        Project, null=True, related_name="review_filters", on_delete=models.CASCADE, help_text="empty: own"
    )
    journal_type = models.CharField(
        max_length=60, default="", blank=True, help_text="whose records it filters; empty: the review queue"
    )
    name = models.CharField(max_length=60)
    query = models.TextField(help_text="the query of the page's address")

    class Meta:
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name
