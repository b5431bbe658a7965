"""A text as the body of a request: how it is stored, what a preview of it says."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class PastedText(serializers.Serializer[Any]):
    """What the address says of a text that becomes a journal."""

    name = serializers.CharField(required=False, max_length=200, help_text="default: the file's name")
    file = serializers.CharField(
        required=False, max_length=200, help_text="name of the file that is stored; default: pasted.txt"
    )
    project = serializers.SlugField(required=False, help_text="default: the first in which you may upload")
    continues = serializers.UUIDField(
        required=False, help_text="the journal of which this is a newer dump; its project is used"
    )


class PreviewedPartition(serializers.Serializer[Any]):
    """A partition that a part has records of."""

    topic = serializers.CharField()
    partition = serializers.IntegerField()


class PreviewedPart(serializers.Serializer[Any]):
    """One dump in the text."""

    number = serializers.IntegerField(help_text="from 1, in the order of the text")
    layout = serializers.CharField(help_text="id of the file format, see the Catalogue")
    title = serializers.CharField()
    kind = serializers.CharField(help_text="segment | export | companion")
    note = serializers.CharField(help_text="how it was recognised, what was undone")
    first_line = serializers.IntegerField()
    last_line = serializers.IntegerField()
    records = serializers.IntegerField()
    batches = serializers.IntegerField()
    entries = serializers.IntegerField(help_text="of a part that is not a log: output of a tool, an index")
    damage = serializers.IntegerField(help_text="records or lines that cannot be read")
    control = serializers.DictField(child=serializers.IntegerField(), help_text="kind of control record -> how many")  # fmt: skip
    partitions = PreviewedPartition(many=True)
    first_offset = serializers.IntegerField(allow_null=True, help_text="null: the text has no offsets")
    last_offset = serializers.IntegerField(allow_null=True)


class PreviewShape(serializers.Serializer[Any]):
    """What an inspection would read and set aside."""

    size_bytes = serializers.IntegerField()
    lines = serializers.IntegerField()
    refused = serializers.CharField(help_text="a sentence if nothing was recognised, else empty")
    tried = serializers.CharField(help_text="the file formats that were tried, and why each does not fit")
    is_counted = serializers.BooleanField(help_text="false: time was over before all records were counted")
    parts = PreviewedPart(many=True)
    set_aside = serializers.DictField(child=serializers.IntegerField(), help_text="kind of line -> how many")
    runs = serializers.ListField(
        child=serializers.ListField(help_text="first line, last line, number of the part or 0, what the lines are"),
        help_text="consecutive lines of one kind, in order",
    )  # fmt: skip
    runs_to_line = serializers.IntegerField(help_text="the last line that `runs` cover")
