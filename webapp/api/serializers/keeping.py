"""Legal holds, moves between projects, and what retention deletes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.operations.forms import MOST_DAYS


class HoldChange(serializers.Serializer[Any]):
    """Whether it is under legal hold from now on."""

    is_on_hold = serializers.BooleanField()


class JournalMove(serializers.Serializer[Any]):
    """Where it goes."""

    project = serializers.SlugField(help_text="another one of which you are an admin")


class OutlookAsked(serializers.Serializer[Any]):
    """Days that are not set yet."""

    days = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_DAYS, help_text="default: as the project has it"
    )


class RemovalShape(serializers.Serializer[Any]):
    """What goes, counted."""

    journals = serializers.IntegerField()
    files = serializers.IntegerField()
    file_bytes = serializers.IntegerField()
    freed_bytes = serializers.IntegerField(help_text="on disk; bytes that another journal uses stay")
    inspections = serializers.IntegerField()
    repairs = serializers.IntegerField()
    result_bytes = serializers.IntegerField()
    shares = serializers.IntegerField()
    findings = serializers.IntegerField()
    sentence = serializers.CharField()


class GoingShape(serializers.Serializer[Any]):
    """A journal that goes."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    ticket = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()


class OutlookShape(serializers.Serializer[Any]):
    """What the next run deletes."""

    days = serializers.IntegerField(allow_null=True, help_text="null: nothing ends by itself")
    removal = RemovalShape()
    going = GoingShape(many=True, help_text="the oldest of them")
    going_count = serializers.IntegerField()
    soon_count = serializers.IntegerField(help_text="that follow within soon_days")
    soon_days = serializers.IntegerField()
    held_count = serializers.IntegerField(help_text="journals under legal hold, which stay")
