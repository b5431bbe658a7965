"""Projects, journals, their files and inspections."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.accounts.roles import ROLES
from webapp.api.serializers.pages import Paging, Person
from webapp.api.states import RUN_STATES
from webapp.journals.inspections import earlier_inspection
from webapp.journals.models import Journal, Upload
from webapp.journals.text_formats import MAX_CHARACTERS
from webapp.journals.uploads import offset_of

LEVELS = ("critical", "high", "medium", "healthy")
MOST_BYTES = 2**63 - 1


class MeShape(serializers.Serializer[Any]):
    """Who asks, and what they may."""

    user = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField(), help_text="of the token; null: a session", allow_null=True)  # fmt: skip
    expires_at = serializers.DateTimeField(allow_null=True, help_text="of the token")
    roles = serializers.DictField(child=serializers.ChoiceField(ROLES), help_text="project -> role")


class ProjectShape(serializers.Serializer[Any]):
    """A project."""

    slug = serializers.SlugField()
    name = serializers.CharField()
    role = serializers.ChoiceField(ROLES, help_text="yours")
    created_at = serializers.DateTimeField()
    retention_days = serializers.IntegerField(allow_null=True)
    is_on_hold = serializers.BooleanField()
    quota_bytes = serializers.IntegerField(allow_null=True)
    quota_inspections = serializers.IntegerField(allow_null=True, help_text="within 24 hours")


class NewProject(serializers.Serializer[Any]):
    """A project that is not there yet."""

    name = serializers.CharField(max_length=100)


class NewestShape(serializers.Serializer[Any]):
    """The newest inspection of a journal."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(RUN_STATES)
    verdict_level = serializers.CharField(help_text="empty until it is done")


class JournalShape(serializers.Serializer[Any]):
    """A journal."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    ticket = serializers.CharField()
    project = serializers.SlugField(source="project.slug")
    lineage = serializers.UUIDField(help_text="the same for all dumps of one journal")
    created_by = Person()
    created_at = serializers.DateTimeField()
    complete_at = serializers.DateTimeField(allow_null=True, help_text="null: bytes are missing yet")
    input_digest = serializers.CharField(help_text="SHA-256 over names and hashes of its files")
    is_on_hold = serializers.BooleanField()
    is_sample = serializers.BooleanField()
    newest = NewestShape(source="latest", allow_null=True)
    page = serializers.SerializerMethodField(help_text="path of its page")

    def get_page(self, journal: Journal) -> str:
        """For a browser."""
        return reverse("journal", args=[journal.pk])


class JournalsAsked(Paging):
    """Filters of the list."""

    q = serializers.CharField(required=False, max_length=200, help_text="part of the name or the ticket")
    project = serializers.SlugField(required=False)
    ticket = serializers.CharField(required=False, max_length=100, help_text="the whole ticket")
    verdict = serializers.ChoiceField(LEVELS, required=False, help_text="of the newest inspection")
    whose = serializers.ChoiceField(["mine"], required=False)


class NewFile(serializers.Serializer[Any]):
    """A file that will be sent."""

    name = serializers.CharField(max_length=1000, help_text="path relative to what was chosen")
    size = serializers.IntegerField(min_value=0, max_value=MOST_BYTES, help_text="bytes")


class NewJournal(serializers.Serializer[Any]):
    """What is announced before its bytes."""

    name = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="default: from the files"
    )
    project = serializers.SlugField(required=False, help_text="default: the first in which you may upload")
    continues = serializers.UUIDField(
        required=False, help_text="the journal of which this is a newer dump; its project is used"
    )
    files = NewFile(many=True, allow_empty=False)


class JournalChange(serializers.Serializer[Any]):
    """What people may write on a journal; what is left out stays."""

    name = serializers.CharField(required=False, max_length=200)
    ticket = serializers.CharField(required=False, allow_blank=True, max_length=100)


class FileShape(serializers.Serializer[Any]):
    """One file of a journal."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    size_bytes = serializers.IntegerField()
    received_bytes = serializers.SerializerMethodField()
    sha256 = serializers.CharField(source="blob_id", allow_null=True, help_text="null: not whole yet")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="an unfinished upload is removed then")
    upload = serializers.SerializerMethodField(help_text="path that takes its bytes by tus")

    def get_received_bytes(self, upload: Upload) -> int:
        """What is here."""
        return offset_of(upload)

    def get_upload(self, upload: Upload) -> str:
        """webapp.journals.tus."""
        return reverse("tus-upload", args=[upload.pk])


class SameInputShape(serializers.Serializer[Any]):
    """An inspection of the same bytes in another journal of the project."""

    id = serializers.UUIDField()
    journal = serializers.UUIDField(source="journal_id")
    state = serializers.ChoiceField(RUN_STATES)
    verdict_level = serializers.CharField(help_text="empty until it is done")


class OneJournalShape(JournalShape):
    """A journal by itself."""

    same_input = serializers.SerializerMethodField(
        help_text="inspection of the same bytes in another journal of the project, where this one has none of its own"
    )

    @extend_schema_field(SameInputShape(allow_null=True))
    def get_same_input(self, journal: Journal) -> dict[str, Any] | None:
        """Bytes that were inspected before are not inspected again by themselves."""
        earlier = None if journal.latest else earlier_inspection(journal)
        return SameInputShape(earlier).data if earlier else None


class AnnouncedShape(JournalShape):
    """A journal with the addresses for its bytes."""

    files = FileShape(many=True, source="uploads.all")


class NewInspection(serializers.Serializer[Any]):
    """How to inspect it."""

    read_as = serializers.DictField(
        child=serializers.CharField(max_length=100), required=False, help_text="topic -> dialect id"
    )
    text_format = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_CHARACTERS, trim_whitespace=False,
        help_text="kcat's format (`-f`) of texts that do not name theirs, such as `%t %p %o %k %s\\n`",
    )  # fmt: skip


class ReadAs(serializers.Serializer[Any]):
    """One topic read as another journal than it looks like."""

    topic = serializers.CharField(max_length=300)
    dialect = serializers.CharField(max_length=100, help_text="id, see the Catalogue")


class StageShape(serializers.Serializer[Any]):
    """One of the six stages, as the worker last told it."""

    name = serializers.CharField()
    state = serializers.CharField(help_text="waiting | running | done")
    done = serializers.IntegerField(required=False, allow_null=True)
    total = serializers.IntegerField(required=False, allow_null=True)
    seconds = serializers.FloatField(required=False, allow_null=True)
    note = serializers.CharField(required=False, allow_null=True)


class RunShape(serializers.Serializer[Any]):
    """Work of a worker in attempts."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(RUN_STATES)
    error = serializers.CharField(help_text="what went wrong and what to do; empty: nothing")
    requested_by = Person()
    attempts = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class InspectionShape(RunShape):
    """One run over a journal."""

    journal = serializers.UUIDField(source="journal_id")
    read_as = serializers.DictField(child=serializers.CharField())
    text_format = serializers.CharField(help_text="of kcat, where somebody gave one")
    verdict_level = serializers.CharField(
        help_text="critical | high | medium | healthy; empty until it is done"
    )
    verdict_sentence = serializers.CharField()
    summary = serializers.DictField(help_text="what lists show; the report has it all")


class InspectionProgress(InspectionShape):
    """With its progress."""

    stages = StageShape(many=True)
    place_in_queue = serializers.IntegerField(help_text="1: the next; 0: not queued")
