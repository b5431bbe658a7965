"""Links to reports, who opened them, and bundles of evidence."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.reports.rows import OneReplica
from webapp.api.rest.pages import Paging, Person
from webapp.api.rest.rows import RowShape
from webapp.api.rest.states import RESULT_STATES
from webapp.sharing.forms import DEFAULT_DAYS, MAX_DAYS, MIN_PASSWORD
from webapp.sharing.models import Share, ShareView
from webapp.sharing.scopes import WHATS


class ShareShape(RowShape):
    """A link, without its token."""

    inspection = serializers.UUIDField(source="inspection_id", allow_null=True, help_text="null: deleted")
    state = serializers.ChoiceField(RESULT_STATES, help_text="done: it can be opened")
    closed = serializers.CharField(
        source="why_closed", allow_blank=True, help_text="revoked | deleted | expired | used_up; empty: open"
    )
    what = serializers.CharField(source="scope.what")
    options = serializers.DictField(help_text="what it shows and masks")

    class Meta:
        model = Share
        fields = (
            "id", "inspection", "journal_name", "created_by", "created_at", "expires_at", "state", "closed", "what",
            "audience", "max_views", "views", "last_opened_at", "options",
        )  # fmt: skip


class SharesQuery(Paging):
    """Filters of the list."""

    journal = serializers.UUIDField(required=False)
    whose = serializers.ChoiceField(["mine"], required=False)


class VisitShape(RowShape):
    """A page of a link that somebody read."""

    address = serializers.CharField(allow_null=True)
    user = Person(help_text="null: not signed in")
    page = serializers.CharField(help_text="name of the page")
    is_first = serializers.BooleanField(help_text="a visit begins with it")

    class Meta:
        model = ShareView
        fields = ("id", "at", "address", "user", "page", "is_first")


class CreatedShare(ShareShape):
    """With the address to give away, which stands nowhere else."""

    url = serializers.URLField()


class ShareScope(OneReplica):
    """What of the report, as in the address of the page Share; other words are the tab's filters."""

    what = serializers.ChoiceField(WHATS, required=False, help_text="default: report")
    of = serializers.CharField(
        required=False, max_length=100, help_text="a tab's name, a key's id, a finding's id or an offset"
    )


def _masked(help_text: str) -> serializers.ListField:
    texts = serializers.CharField(max_length=300)
    return serializers.ListField(child=texts, required=False, max_length=200, help_text=help_text)


class Shown(serializers.Serializer[Any]):
    """Masks; what is left out are the project's."""

    fields_masked = _masked("paths such as config.password; default: the project's")
    patterns = _masked("regular expressions; default: the project's")


class NewShare(Shown):
    """What it shows, for whom and for how long; what is left out is hidden, but for names."""

    payloads = serializers.BooleanField(default=False)
    keys = serializers.BooleanField(
        default=None,
        allow_null=True,
        help_text="false: hashes, equal keys look equal; null: the same, but names in them are shown where names are",
    )
    headers = serializers.BooleanField(default=False)
    names = serializers.BooleanField(
        default=True, help_text="of topics and of what journals keep: artifacts, subjects, groups, connectors"
    )
    days = serializers.IntegerField(min_value=1, max_value=MAX_DAYS, default=DEFAULT_DAYS)
    audience = serializers.ChoiceField(Share.Audience.choices, default=Share.Audience.LINK)
    password = serializers.CharField(
        required=False, allow_blank=True, min_length=MIN_PASSWORD, max_length=200
    )
    max_views = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000)


class NewEvidence(Shown):
    """What the bundle shows: everything, unless told otherwise."""

    payloads = serializers.BooleanField(default=True)
    keys = serializers.BooleanField(default=True, help_text="false: hashes; equal keys look equal")
    headers = serializers.BooleanField(default=True)
    names = serializers.BooleanField(
        default=True, help_text="of topics and of what journals keep: artifacts, subjects, groups, connectors"
    )
