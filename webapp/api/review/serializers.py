"""Findings as people work them off."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from webapp.api.rest.pages import Paging, Person
from webapp.api.rest.rows import RowShape
from webapp.review.comments import MAX_CHARACTERS, MAX_RECORDS
from webapp.review.filters import DUE, KINDS, PRESENCES, PRESETS, SAMPLES, SORTS, STATES, Filter
from webapp.review.models import Change, Comment, Finding, SavedFilter
from webapp.review.saved import MAX_NAME
from webapp.review.states import SEVERITIES, FindingState, Presence

MAX_AT_ONCE = 1000


class FindingShape(RowShape):
    """One finding, the same in all inspections of a journal."""

    fingerprint = serializers.CharField(help_text="`id` in reports")
    project = serializers.SlugField(source="project.slug")
    journal = serializers.UUIDField(source="journal_id", allow_null=True, help_text="the newest dump")
    inspection = serializers.UUIDField(
        source="last_inspection_id", allow_null=True, help_text="the last to see it"
    )
    severity = serializers.ChoiceField(SEVERITIES)
    is_root = serializers.BooleanField(help_text="not a consequence of another finding")
    incident = serializers.CharField(help_text="equal for findings with one cause")
    presence = serializers.ChoiceField(Presence.choices, help_text="what the newest inspection says")
    state = serializers.ChoiceField(FindingState.choices, help_text="what people decided")
    is_overdue = serializers.BooleanField()
    page = serializers.CharField(source="get_absolute_url", help_text="path of its page")

    class Meta:
        model = Finding
        fields = (
            "id", "fingerprint", "project", "journal", "inspection", "detector", "severity", "confidence", "title",
            "topic", "partition", "replica", "key", "first_offset", "last_offset", "evidence_count", "is_root",
            "incident", "incident_title", "presence", "state", "suppressed_until", "assignee", "due_at", "is_overdue", "first_seen_at",
            "last_seen_at", "page",
        )  # fmt: skip


class FindingFilter(serializers.Serializer[Any]):
    """The queue's filters."""

    state = serializers.ChoiceField(STATES, required=False, help_text="default: open")
    severity = serializers.ChoiceField(SEVERITIES, required=False)
    project = serializers.SlugField(required=False)
    journal = serializers.UUIDField(required=False, help_text="all its dumps")
    detector = serializers.CharField(required=False, max_length=100)
    assignee = serializers.CharField(required=False, max_length=150, help_text="a name, me or nobody")
    due = serializers.ChoiceField(DUE, required=False)
    presence = serializers.ChoiceField(
        PRESENCES, required=False, help_text="not_mended: resolved but still present"
    )
    kind = serializers.ChoiceField(KINDS, required=False, help_text="all: including consequences and notes")
    samples = serializers.ChoiceField(
        SAMPLES, required=False, help_text="findings of sample journals; default: none, unless one is named"
    )
    q = serializers.CharField(required=False, max_length=200, help_text="words of title, key, topic, journal")


class KeptFilter(FindingFilter):
    """With the order of the page."""

    sort = serializers.ChoiceField(
        [name for name in SORTS if name], required=False, help_text="default: most severe first"
    )


class SavedFilterShape(RowShape):
    """A filter under a name."""

    project = serializers.SlugField(source="project.slug", allow_null=True, help_text="null: its owner's own")
    filter = serializers.SerializerMethodField(help_text="as `findings/` takes it")
    page = serializers.SerializerMethodField(help_text="path of the queue's page")

    class Meta:
        model = SavedFilter
        fields = ("id", "name", "owner", "project", "filter", "page")

    def get_filter(self, saved: SavedFilter) -> dict[str, str]:
        """Members that narrow."""
        return Filter.of_text(saved.query).members()

    def get_page(self, saved: SavedFilter) -> str:
        """For a browser."""
        return reverse("review") + (f"?{saved.query}" if saved.query else "")


class NewFilter(serializers.Serializer[Any]):
    """A filter to keep."""

    name = serializers.CharField(max_length=MAX_NAME)
    filter = KeptFilter()
    project = serializers.SlugField(
        required=False, help_text="whose reviewers share it; default: your own alone"
    )


class FilterChange(serializers.Serializer[Any]):
    """What is left out stays."""

    name = serializers.CharField(max_length=MAX_NAME, required=False)
    filter = KeptFilter(required=False)


class CountsShape(serializers.Serializer[Any]):
    """Incidents by what one may want to see first."""

    def get_fields(self) -> dict[str, Any]:
        """One for each choice above the queue."""
        return {name: serializers.IntegerField(help_text=title) for name, title, _ in PRESETS}


class FindingsQuery(Paging, FindingFilter):
    """Filters of the list."""


class FindingChange(serializers.Serializer[Any]):
    """A decision, an assignment, or both."""

    state = serializers.ChoiceField(FindingState.choices, required=False)
    until = serializers.DateTimeField(
        required=False, help_text="end of a suppression; without: until it changes"
    )
    assignee = serializers.CharField(
        required=False, allow_null=True, max_length=150, help_text="a name or me; null: nobody"
    )
    comment = serializers.CharField(required=False, allow_blank=True, max_length=1000, help_text="why")


class Chosen(serializers.Serializer[Any]):
    """Which findings: `findings`, or all that match a filter."""

    findings = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        required=False,
        max_length=MAX_AT_ONCE,
    )
    matching = FindingFilter(required=False, help_text="all that match it in projects that you review")
    comment = serializers.CharField(required=False, allow_blank=True, max_length=1000, help_text="why")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One of the two."""
        if ("findings" in attrs) == ("matching" in attrs):
            raise serializers.ValidationError("Name either findings or what they match.")
        return attrs


class Decision(Chosen):
    """A state for many."""

    state = serializers.ChoiceField(FindingState.choices)
    until = serializers.DateTimeField(required=False, help_text="end of a suppression")


class Assignment(Chosen):
    """A reviewer for many."""

    assignee = serializers.CharField(allow_null=True, max_length=150, help_text="a name or me; null: nobody")


class Undoing(serializers.Serializer[Any]):
    """Your own decisions."""

    changes = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        max_length=MAX_AT_ONCE,
        help_text="ids in `findings/<id>/history/`",
    )


class OutcomeShape(serializers.Serializer[Any]):
    """What it did."""

    changed = serializers.ListField(child=serializers.IntegerField(), help_text="ids of findings")
    unchanged = serializers.IntegerField(help_text="number of findings that already had this state")


class ChangeShape(RowShape):
    """One step in a finding's history."""

    by = Person(help_text="null: Journalscope")

    class Meta:
        model = Change
        fields = ("id", "at", "by", "what", "before", "after", "until", "why")


class CommentShape(RowShape):
    """What somebody said."""

    records = serializers.ListField(child=serializers.DictField(), help_text="attached records")

    class Meta:
        model = Comment
        fields = ("id", "at", "author", "text", "records")


class NewComment(serializers.Serializer[Any]):
    """What to say."""

    text = serializers.CharField(max_length=MAX_CHARACTERS, help_text="@name notifies a user")
    records = serializers.ListField(
        child=serializers.RegexField(r"^\S+$", max_length=500), required=False, max_length=MAX_RECORDS,
        help_text="offsets, or addresses of record pages",
    )  # fmt: skip
