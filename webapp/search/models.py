"""Names of the newest report of each journal, so that one query searches all reports.

Everything here is made again from the reports (`webapp.search.index`). On SQLite the table `search_trigrams` and two triggers of
`IndexedName` belong to it: a migration that makes this table anew must make them anew, too.
"""

from __future__ import annotations

from django.db import models

from webapp.journals.models import Inspection, Journal

MAX_CHARACTERS = 300
MAX_SHORT = 64


class IndexedReport(models.Model):
    """The report whose names are in the index: the newest of its journal."""

    journal = models.OneToOneField(Journal, related_name="indexed_report", on_delete=models.CASCADE)
    inspection = models.OneToOneField(Inspection, related_name="+", on_delete=models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)
    names = models.PositiveIntegerField(help_text="of entities and keys in the report")
    indexed = models.PositiveIntegerField(
        help_text="how many of them are in the index: those with most records"
    )

    def __str__(self) -> str:
        return f"names of {self.inspection_id}"


class IndexedName(models.Model):
    """One name: of an entity or a key."""

    class Kind(models.TextChoices):
        ENTITY = "entity"
        KEY = "key"

    report = models.ForeignKey(IndexedReport, related_name="rows", on_delete=models.CASCADE)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=MAX_CHARACTERS, help_text="as it is shown")
    text = models.CharField(
        max_length=MAX_CHARACTERS, help_text="what is searched: name and hashes, case folded"
    )
    short = models.CharField(
        max_length=MAX_SHORT, db_index=True, help_text="the beginning of the id, case folded"
    )
    type = models.CharField(max_length=100, blank=True, help_text="of an entity, or of a key's entries")
    ident = models.TextField(blank=True, help_text="id of the entity, or of the key's page")
    topic = models.CharField(max_length=255)
    partition = models.IntegerField(null=True)
    replica = models.TextField(blank=True)

    def __str__(self) -> str:
        """Without the name, which is the journal's: this stands in logs."""
        return f"{self.kind} in {self.report_id}"


class IndexedPartition(models.Model):
    """A partition of an indexed report, with its offsets."""

    report = models.ForeignKey(IndexedReport, related_name="partitions", on_delete=models.CASCADE)
    name = models.CharField(max_length=MAX_CHARACTERS)
    text = models.CharField(max_length=MAX_CHARACTERS, help_text="the name, case folded")
    topic = models.CharField(max_length=255)
    partition = models.IntegerField(null=True)
    replica = models.TextField(blank=True)
    first_offset = models.BigIntegerField(null=True)
    last_offset = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"partition in {self.report_id}"
