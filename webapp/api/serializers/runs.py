"""Comparisons, repairs, shares and events."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.serializers.journals import RunShape, StageShape
from webapp.api.serializers.pages import Paging, Person
from webapp.api.states import RESULT_STATES
from webapp.journals.repairs import MOST_FILES, MOST_OLDER
from webapp.journals.topic_names import MAX_CHARACTERS
from webapp.sharing.forms import DEFAULT_DAYS, LEAST_PASSWORD, MOST_DAYS
from webapp.sharing.models import Share
from webapp.sharing.scopes import WHATS

MOST_TEXT = 45_000_000  # base64 of the largest file that a repair takes


class ComparisonShape(serializers.Serializer[Any]):
    """Two inspections beside each other."""

    left = serializers.UUIDField(source="left_id")
    right = serializers.UUIDField(source="right_id")
    state = serializers.ChoiceField(RESULT_STATES)
    error = serializers.CharField(allow_blank=True)
    requested_at = serializers.DateTimeField()
    result = serializers.DictField(allow_null=True, help_text="docs/compare.md, once it is done")


class RepairRow(RunShape):
    """A repair of an inspected journal."""

    inspection = serializers.UUIDField(source="inspection_id")
    topic = serializers.CharField(
        allow_blank=True, help_text="name of the topic as it was given; empty: the dump names it"
    )


class RepairShape(RepairRow):
    """With what it came to."""

    older = serializers.ListField(child=serializers.UUIDField(), help_text="inspections of older dumps")
    files = serializers.ListField(child=serializers.CharField(), help_text="names of files to download")
    stages = StageShape(many=True)
    result = serializers.DictField(allow_null=True, help_text="docs/repair.md, once it is done")


class SchemaFile(serializers.Serializer[Any]):
    """A schema's text as it was registered."""

    name = serializers.CharField(max_length=300)
    base64 = serializers.CharField(max_length=MOST_TEXT, allow_blank=True)


class NewRepair(serializers.Serializer[Any]):
    """What may help."""

    older = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=MOST_OLDER,
        help_text="inspections of older dumps that may hold what was lost",
    )  # fmt: skip
    files = SchemaFile(many=True, required=False, max_length=MOST_FILES)
    topic = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_CHARACTERS,
        help_text="name of the topic; required where the dump does not name it, else left out",
    )  # fmt: skip


class ShareShape(serializers.Serializer[Any]):
    """A link, without its token."""

    id = serializers.UUIDField()
    inspection = serializers.UUIDField(source="inspection_id", allow_null=True, help_text="null: deleted")
    journal_name = serializers.CharField()
    created_by = Person()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    state = serializers.ChoiceField(RESULT_STATES, help_text="done: it can be opened")
    closed = serializers.CharField(
        source="why_closed", allow_blank=True, help_text="revoked | deleted | expired | used_up; empty: open"
    )
    what = serializers.CharField(source="scope.what")
    audience = serializers.ChoiceField(Share.Audience.choices)
    max_views = serializers.IntegerField(allow_null=True)
    views = serializers.IntegerField()
    last_opened_at = serializers.DateTimeField(allow_null=True)
    options = serializers.DictField(help_text="what it shows and masks")


class SharesAsked(Paging):
    """Filters of the list."""

    journal = serializers.UUIDField(required=False)
    whose = serializers.ChoiceField(["mine"], required=False)


class VisitShape(serializers.Serializer[Any]):
    """A page of a link that somebody read."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    address = serializers.CharField(allow_null=True)
    user = Person(help_text="null: not signed in")
    page = serializers.CharField(help_text="name of the page")
    is_first = serializers.BooleanField(help_text="a visit begins with it")


class CreatedShare(ShareShape):
    """With the address to give away, which stands nowhere else."""

    url = serializers.URLField()


class ShareScope(serializers.Serializer[Any]):
    """What of the report, as in the address of the page Share; other words are the tab's filters."""

    what = serializers.ChoiceField(WHATS, required=False, help_text="default: report")
    of = serializers.CharField(
        required=False, max_length=100, help_text="a tab's name, a key's id, a finding's id or an offset"
    )
    topic = serializers.CharField(required=False, max_length=300)
    partition = serializers.IntegerField(required=False, min_value=-(2**31), max_value=2**31 - 1)
    replica = serializers.CharField(required=False, max_length=1000)


class Shown(serializers.Serializer[Any]):
    """Masks; what is left out are the project's."""

    fields_masked = serializers.ListField(
        child=serializers.CharField(max_length=300), required=False, max_length=200,
        help_text="paths such as config.password; default: the project's",
    )  # fmt: skip
    patterns = serializers.ListField(
        child=serializers.CharField(max_length=300), required=False, max_length=200,
        help_text="regular expressions; default: the project's",
    )  # fmt: skip


class NewShare(Shown):
    """What it shows, for whom and for how long; what is left out is hidden."""

    payloads = serializers.BooleanField(default=False)
    keys = serializers.BooleanField(default=False, help_text="false: hashes; equal keys look equal")
    headers = serializers.BooleanField(default=False)
    names = serializers.BooleanField(default=True, help_text="of topics")
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=DEFAULT_DAYS)
    audience = serializers.ChoiceField(Share.Audience.choices, default=Share.Audience.LINK)
    password = serializers.CharField(
        required=False, allow_blank=True, min_length=LEAST_PASSWORD, max_length=200
    )
    max_views = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000)


class NewEvidence(Shown):
    """What the bundle shows: everything, unless told otherwise."""

    payloads = serializers.BooleanField(default=True)
    keys = serializers.BooleanField(default=True, help_text="false: hashes; equal keys look equal")
    headers = serializers.BooleanField(default=True)
    names = serializers.BooleanField(default=True, help_text="of topics")


class EventShape(serializers.Serializer[Any]):
    """One line of the audit log."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(
        source="actor_name", allow_blank=True, help_text="empty: the system, or a guest"
    )
    action = serializers.CharField()
    project = serializers.IntegerField(source="project_id", allow_null=True)
    target_kind = serializers.CharField(allow_blank=True)
    target_id = serializers.CharField(allow_blank=True)
    target_name = serializers.CharField(allow_blank=True)
    address = serializers.CharField(allow_null=True)
    request_id = serializers.CharField(allow_blank=True)
    detail = serializers.DictField()


class EventsAsked(Paging):
    """As on the page Audit log."""

    actor = serializers.CharField(required=False, max_length=150, help_text="part of the name")
    action = serializers.CharField(required=False, max_length=40, help_text="its beginning, such as journal.")
    target = serializers.CharField(
        required=False, max_length=200, help_text="part of the name, or the whole id"
    )
    project = serializers.SlugField(required=False)
    since = serializers.CharField(
        required=False, max_length=40, help_text="2026-01-31 or 2026-01-31 10:30, UTC"
    )
    until = serializers.CharField(required=False, max_length=40)
    request = serializers.CharField(required=False, max_length=40, help_text="id of a request")
