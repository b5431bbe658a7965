"""Journals, the files they were made of, and the inspections of them.

Everything an inspection finds lives in its result folder and can be computed again from the raw bytes; these
rows hold what people did and a short summary for lists.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from webapp.accounts.models import Project
from webapp.jobs.models import Job, SingleJob, one_on_its_way
from webapp.journals.text_formats import MAX_CHARACTERS as TEXT_FORMAT_CHARACTERS
from webapp.journals.topic_names import MAX_CHARACTERS


class Blob(models.Model):
    """Raw bytes in content-addressed storage, kept while a journal uses them."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size_bytes = models.BigIntegerField()
    stored_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.sha256[:12]} ({self.size_bytes} bytes)"


class Journal(models.Model):
    """One or several files that were uploaded together, such as the folder of a broker's log."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, related_name="journals", on_delete=models.PROTECT)
    lineage = models.UUIDField(
        default=uuid.uuid4,
        editable=False,
        db_index=True,
        help_text="shared by all dumps of one journal: what people decided about a finding holds for all of them",
    )
    name = models.CharField(max_length=200)
    ticket = models.CharField(max_length=100, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    complete_at = models.DateTimeField(null=True, help_text="when the last of its files had arrived")
    input_digest = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="SHA-256 over the sorted names and hashes of its files",
    )
    is_sample = models.BooleanField(default=False)
    is_on_hold = models.BooleanField(default=False, help_text="legal hold: nothing of it is deleted")
    shows_seconds = False  # in a list with another dump of the same minute

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return self.name

    @property
    def latest(self) -> Inspection | None:
        """The newest inspection in any state."""
        return self.inspections.order_by("-created_at").first()

    @property
    def of_same_input(self) -> Inspection | None:
        """An inspection of the same input in another journal of the project that is done or on its way."""
        if not self.input_digest:
            return None
        states = Inspection.State
        same = Inspection.objects.filter(
            journal__input_digest=self.input_digest, journal__project=self.project_id
        ).exclude(journal=self)
        usable = same.filter(state__in=[states.DONE, states.RUNNING, states.QUEUED])
        # done ones first: "done" sorts before "queued" and "running"
        return usable.select_related("journal").order_by("state", "-created_at").first()

    @property
    def is_being_stored(self) -> bool:
        """All files have arrived and a worker has not stored all of them yet."""
        if self.complete_at:
            return False
        sizes = self.uploads.values_list("received_bytes", "size_bytes")
        return bool(sizes) and all(received == size for received, size in sizes)


class Upload(models.Model):
    """One file of a journal: a resumable upload until `blob` is set, a stored file from then on."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    journal = models.ForeignKey(Journal, related_name="uploads", on_delete=models.CASCADE)
    name = models.CharField(max_length=1000, help_text="path relative to what was dropped")
    size_bytes = models.BigIntegerField()
    received_bytes = models.BigIntegerField(default=0)
    blob = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, help_text="an unfinished upload is removed after this")

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=("journal", "name"), name="one_file_per_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_whole(self) -> bool:
        """All bytes have arrived; `blob` is set when a worker has stored them."""
        return self.blob_id is not None or self.received_bytes == self.size_bytes


class Inspection(SingleJob):
    """One run of the pipeline over a journal: report.json, tables.json and the tables."""

    journal = models.ForeignKey(Journal, related_name="inspections", on_delete=models.CASCADE)
    read_as = models.JSONField(
        default=dict,
        blank=True,
        help_text="topic -> dialect id that a user selected",
    )
    text_format = models.CharField(
        max_length=TEXT_FORMAT_CHARACTERS, blank=True, default="",
        help_text="kcat format that a user entered, for texts without a command",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)
    verdict_level = models.CharField(max_length=10, blank=True)
    verdict_sentence = models.TextField(blank=True)
    summary = models.JSONField(
        default=dict, help_text="records, span, dialects, open findings: for lists only"
    )

    class Meta:
        ordering = ("-created_at",)
        constraints = [one_on_its_way("inspection")]

    def __str__(self) -> str:
        return f"{self.journal} ({self.state})"

    @property
    def headline(self) -> str:
        """What the Overview begins with: the worst incident, without one the verdict."""
        return self.summary.get("headline") or self.verdict_sentence


class Comparison(Job):
    """Two inspections set beside each other, or (both the same) the copies of partitions within one.

    Results of inspections never change, so one comparison of the two is enough: it is shared by all who ask.
    """

    left = models.ForeignKey(Inspection, related_name="comparisons_left", on_delete=models.CASCADE)
    right = models.ForeignKey(Inspection, related_name="comparisons_right", on_delete=models.CASCADE)
    requested_at = models.DateTimeField(help_text="when it was asked for, the last time if several")
    result = models.JSONField(null=True, help_text="docs/compare.md, once the state is done")

    class Meta:
        constraints = [models.UniqueConstraint(fields=("left", "right"), name="one_comparison_of_two")]

    def __str__(self) -> str:
        return f"{self.left} / {self.right} ({self.state})"


class Repair(SingleJob):
    """The repair records of one inspected journal: built, tried and kept with the files to produce."""

    inspection = models.ForeignKey(Inspection, related_name="repairs", on_delete=models.CASCADE)
    older = models.ManyToManyField(
        Inspection,
        related_name="repairs_fed",
        help_text="inspections of older dumps that may hold what was lost",
    )
    topic = models.CharField(
        max_length=MAX_CHARACTERS, blank=True, default="",
        help_text="name of the topic as the user gave it; empty: the dump names it",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)
    result = models.JSONField(null=True, help_text="docs/repair.md, once the state is done")

    class Meta:
        ordering = ("-created_at",)
        constraints = [one_on_its_way("repair")]

    def __str__(self) -> str:
        return f"repair of {self.inspection.journal} ({self.state})"


class RepairFile(models.Model):
    """A schema file that a user added to a repair."""

    repair = models.ForeignKey(Repair, related_name="files", on_delete=models.CASCADE)
    name = models.CharField(max_length=1000)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT)

    class Meta:
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name
