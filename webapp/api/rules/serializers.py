"""Rules of a project, their versions, and what one would flag."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from spark.rules.language import MAX_RULE
from webapp.api.rest.rows import RowShape
from webapp.rules.models import Rule, RuleVersion


class VersionShape(RowShape):
    """What a rule said from some moment on; it never changes."""

    severity = serializers.CharField(help_text="critical | high | medium | low")
    over = serializers.CharField(help_text="records | entries | keys")
    text = serializers.CharField(help_text="the YAML as it was written")

    class Meta:
        model = RuleVersion
        fields = ("number", "title", "severity", "over", "text", "created_by", "created_at")


class RuleShape(RowShape):
    """A rule with its newest version."""

    name = serializers.CharField()
    project = serializers.SlugField(source="project.slug")
    detector = serializers.CharField(help_text="the id of its findings")
    is_active = serializers.BooleanField(help_text="inspections of the project use it")
    version = VersionShape(source="current")
    page = serializers.CharField(source="get_absolute_url", help_text="path of its page")

    class Meta:
        model = Rule
        fields = ("name", "project", "detector", "is_active", "created_at", "version", "page")


class RuleText(serializers.Serializer[Any]):
    """A rule as YAML; docs/rules.md says what it may hold."""

    text = serializers.CharField(max_length=MAX_RULE)

    def validate_text(self, text: str) -> str:
        """With the line ends of a file, as the page saves it."""
        return text.replace("\r\n", "\n") + "\n"


class NewRuleVersion(RuleText):
    """What the rule says from now on."""

    based_on = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, help_text="number of the version that was edited"
    )


class Switch(serializers.Serializer[Any]):
    """On or off."""

    is_active = serializers.BooleanField()


class RuleTry(RuleText):
    """A rule, saved or not, and what to ask it of."""

    inspection = serializers.UUIDField(help_text="a finished one of a journal of the project")


class FlaggedRow(serializers.Serializer[Any]):
    """One row that it would flag."""

    place = serializers.CharField(help_text="topic, partition and copy")
    offset = serializers.IntegerField(allow_null=True)
    url = serializers.CharField(help_text="path of the record's page")
    text = serializers.CharField(allow_blank=True, help_text="what the rule says of it")


class TriedShape(serializers.Serializer[Any]):
    """How much matches, and the first rows of it."""

    rule = serializers.CharField(source="rule.name")
    inspection = serializers.UUIDField(source="inspection.pk")
    count = serializers.IntegerField(help_text="rows that match")
    places = serializers.IntegerField(help_text="partitions with such rows")
    rows = FlaggedRow(many=True)
