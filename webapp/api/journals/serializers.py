"""Journals, their files, inspections, comparisons and repairs."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.api.rest.pages import Paging
from webapp.api.rest.rows import RowShape
from webapp.api.rest.states import RESULT_STATES, RUN_STATES
from webapp.journals.models import Comparison, Inspection, Journal, Repair, Upload
from webapp.journals.repairs import MAX_FILES, MAX_OLDER
from webapp.journals.text_formats import MAX_CHARACTERS as MAX_FORMAT
from webapp.journals.topic_names import MAX_CHARACTERS as MAX_TOPIC
from webapp.journals.uploads import offset_of

LEVELS = ("critical", "high", "medium", "healthy")
MAX_BYTES = 2**63 - 1
MAX_BASE64 = 45_000_000  # characters: the largest file that a repair takes
RUN = ("id", "state", "error", "requested_by", "attempts", "created_at", "started_at", "finished_at")


class NewestShape(RowShape):
    """The newest inspection of a journal."""

    state = serializers.ChoiceField(RUN_STATES)
    verdict_level = serializers.CharField(help_text="empty until it is done")

    class Meta:
        model = Inspection
        fields = ("id", "state", "verdict_level")


class JournalShape(RowShape):
    """A journal."""

    project = serializers.SlugField(source="project.slug")
    lineage = serializers.UUIDField(help_text="the same for all dumps of one journal")
    complete_at = serializers.DateTimeField(
        allow_null=True, help_text="null: files are missing or being stored"
    )
    input_digest = serializers.CharField(help_text="SHA-256 over names and hashes of its files")
    newest = NewestShape(source="latest", allow_null=True)
    page = serializers.SerializerMethodField(help_text="path of its page")

    class Meta:
        model = Journal
        fields = (
            "id", "name", "ticket", "project", "lineage", "created_by", "created_at", "complete_at", "input_digest",
            "is_on_hold", "is_sample", "newest", "page",
        )  # fmt: skip

    def get_page(self, journal: Journal) -> str:
        """For a browser."""
        return reverse("journal", args=[journal.pk])


class JournalsQuery(Paging):
    """Filters of the list."""

    q = serializers.CharField(required=False, max_length=200, help_text="part of the name or the ticket")
    project = serializers.SlugField(required=False)
    ticket = serializers.CharField(required=False, max_length=100, help_text="the whole ticket")
    verdict = serializers.ChoiceField(LEVELS, required=False, help_text="of the newest inspection")
    whose = serializers.ChoiceField(["mine"], required=False)


class NewFile(serializers.Serializer[Any]):
    """A file that will be sent."""

    name = serializers.CharField(max_length=1000, help_text="path relative to what was chosen")
    size = serializers.IntegerField(min_value=0, max_value=MAX_BYTES, help_text="bytes")


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


class HoldChange(serializers.Serializer[Any]):
    """Whether it is under legal hold from now on."""

    is_on_hold = serializers.BooleanField()


class JournalMove(serializers.Serializer[Any]):
    """Where it goes."""

    project = serializers.SlugField(help_text="another one of which you are an admin")


class FileShape(RowShape):
    """One file of a journal."""

    received_bytes = serializers.SerializerMethodField()
    sha256 = serializers.CharField(source="blob_id", allow_null=True, help_text="null: not stored yet")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="an unfinished upload is removed then")
    upload = serializers.SerializerMethodField(help_text="path that takes its bytes by tus")

    class Meta:
        model = Upload
        fields = ("id", "name", "size_bytes", "received_bytes", "sha256", "expires_at", "upload")

    def get_received_bytes(self, upload: Upload) -> int:
        """What is here."""
        return offset_of(upload)

    def get_upload(self, upload: Upload) -> str:
        """webapp.journals.receiving.tus."""
        return reverse("tus-upload", args=[upload.pk])


class SameInputShape(RowShape):
    """An inspection of the same bytes in another journal of the project."""

    state = serializers.ChoiceField(RUN_STATES)
    verdict_level = serializers.CharField(help_text="empty until it is done")

    class Meta:
        model = Inspection
        fields = ("id", "journal", "state", "verdict_level")


class OneJournalShape(JournalShape):
    """A journal by itself."""

    same_input = serializers.SerializerMethodField(
        help_text="inspection of the same bytes in another journal of the project, if this journal has none"
    )

    @extend_schema_field(SameInputShape(allow_null=True))
    def get_same_input(self, journal: Journal) -> dict[str, Any] | None:
        """Bytes that were inspected before are not inspected again by themselves."""
        earlier = None if journal.latest else journal.of_same_input
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
        required=False, allow_blank=True, max_length=MAX_FORMAT, trim_whitespace=False,
        help_text="how to read texts that do not say it: kcat's format (`-f`), such as `%t %p %o %k %s\\n`, or the columns of a table or "
        "members of JSON objects, such as `key=KEY,value=payload,timestamp=meta.ts`; docs/sources/other-csv.md",
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


class RunShape(RowShape):
    """Work of a worker in attempts."""

    state = serializers.ChoiceField(RUN_STATES)
    error = serializers.CharField(help_text="what went wrong and what to do; empty: nothing")


class InspectionShape(RunShape):
    """One run over a journal."""

    read_as = serializers.DictField(child=serializers.CharField())
    text_format = serializers.CharField(help_text="of kcat, or columns, if a user entered them")
    verdict_level = serializers.CharField(
        help_text="critical | high | medium | healthy; empty until it is done"
    )
    summary = serializers.DictField(
        help_text="what lists show; the report has it all. Failed for unknown columns: `question`, the columns to name"
    )

    class Meta:
        model = Inspection
        fields = (*RUN, "journal", "read_as", "text_format", "verdict_level", "verdict_sentence", "summary")


class InspectionProgress(InspectionShape):
    """With its progress."""

    stages = StageShape(many=True)
    place_in_queue = serializers.IntegerField(help_text="1: the next; 0: not queued")


class ComparisonShape(RowShape):
    """Two inspections beside each other."""

    state = serializers.ChoiceField(RESULT_STATES)
    result = serializers.DictField(allow_null=True, help_text="docs/compare.md, once it is done")

    class Meta:
        model = Comparison
        fields = ("left", "right", "state", "error", "requested_at", "result")


class RepairRow(RunShape):
    """A repair of an inspected journal."""

    topic = serializers.CharField(
        allow_blank=True, help_text="name of the topic as it was given; empty: the dump names it"
    )

    class Meta:
        model = Repair
        fields = (*RUN, "inspection", "topic")


class RepairShape(RepairRow):
    """With what it came to."""

    older = serializers.ListField(
        child=serializers.UUIDField(), source="older_ids", help_text="inspections of older dumps"
    )
    files = serializers.ListField(
        child=serializers.CharField(), source="file_names", help_text="names of files to download"
    )
    stages = StageShape(many=True)
    result = serializers.DictField(
        source="final_result", allow_null=True, help_text="docs/repair.md, once it is done"
    )


class SchemaFile(serializers.Serializer[Any]):
    """A schema's text as it was registered."""

    name = serializers.CharField(max_length=300)
    base64 = serializers.CharField(max_length=MAX_BASE64, allow_blank=True)


class NewRepair(serializers.Serializer[Any]):
    """What may help."""

    older = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=MAX_OLDER,
        help_text="inspections of older dumps that can contain what was lost",
    )  # fmt: skip
    files = SchemaFile(many=True, required=False, max_length=MAX_FILES)  # type: ignore[call-arg]
    topic = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_TOPIC,
        help_text="name of the topic; required where the dump does not name it, else left out",
    )  # fmt: skip
