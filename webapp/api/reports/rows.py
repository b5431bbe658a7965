"""Rows of result tables: their columns come from the tables' own description (docs name them the same).

Bytes are base64 always, and text where they are UTF-8. Null, empty and absent stay apart.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.api.reports.listed import Listed
from webapp.api.reports.results import TABLES
from webapp.api.rest.pages import Paging
from webapp.reports.filters.parser import MAX_FILTER
from webapp.reports.queries.kinds import FORMER_KINDS, KINDS
from webapp.reports.whole_rows import HASHES

MIN_LONG, MAX_LONG = -(2**63), 2**63 - 1
NUMBERS = ("first", "last", "at", "producer")
FLAGS = ("unreadable", "deleted", "broken")


class PayloadShape(serializers.Serializer[Any]):
    """Bytes."""

    base64 = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_null=True, allow_blank=True, help_text="null: the bytes are not UTF-8")


class HeaderShape(serializers.Serializer[Any]):
    """A record's header."""

    key = PayloadShape()
    value = PayloadShape(allow_null=True)


@extend_schema_field({"description": "object that the dialect read, or text"})
class AnythingField(serializers.JSONField):
    """Whatever a dialect's attributes are."""


class NumbersField(serializers.ListField):
    """A list of whole numbers."""

    child = serializers.IntegerField()


class TextsField(serializers.ListField):
    """A list of texts."""

    child = serializers.CharField(allow_blank=True)


_number = partial(serializers.IntegerField, min_value=MIN_LONG, max_value=MAX_LONG)

FIELDS: dict[str, Callable[..., Any]] = {
    "string": partial(serializers.CharField, allow_blank=True),
    "binary": PayloadShape,
    "boolean": serializers.BooleanField,
    "tinyint": _number,
    "smallint": _number,
    "int": _number,
    "bigint": _number,
    "double": serializers.FloatField,
    "array<bigint>": NumbersField,
    "array<string>": TextsField,
}


def row_shape(
    table: str, **extra: serializers.Field[Any, Any, Any, Any]
) -> type[serializers.Serializer[Any]]:
    """The serializer of a table's rows; both halves of a key's hash become its id, as addresses of pages have it."""
    members: dict[str, Any] = {}
    for column in TABLES[table].columns:
        about: dict[str, Any] = {"help_text": column.text, "allow_null": True}
        if column.name == "attributes":
            members[column.name] = AnythingField(**about)
        elif column.type not in FIELDS:
            members[column.name] = HeaderShape(many=True, **about)
        elif column.name not in HASHES:
            members[column.name] = FIELDS[column.type](**about)
    if HASHES[0] in {column.name for column in TABLES[table].columns}:
        members["key_id"] = serializers.CharField(help_text="32 hex digits: the hash of the key")
    return type(f"{table.title().replace('_', '')}Shape", (serializers.Serializer,), members | extra)


class OneReplica(serializers.Serializer[Any]):
    """Which partition, where an offset is not enough."""

    topic = serializers.CharField(required=False, max_length=300)
    partition = serializers.IntegerField(required=False, min_value=-(2**31), max_value=2**31 - 1)
    replica = serializers.CharField(required=False, max_length=1000)


class ReplicaParams(Paging, OneReplica):
    """Which copies of which partitions."""

    replica = serializers.CharField(required=False, max_length=1000, help_text="replica of the partition")


class RecordsQuery(ReplicaParams):
    """Filters of the records, as on their page. `filter` says all of them; the others came before it and mean the same."""

    filter = serializers.CharField(
        required=False, max_length=MAX_FILTER, help_text="such as kind:update value.amount > 400"
    )
    zone = serializers.CharField(
        required=False, max_length=60, help_text="IANA name: zone of times in `filter`"
    )
    first = _number(required=False, help_text="from this offset")
    last = _number(required=False, help_text="to this offset")
    since = serializers.CharField(
        required=False, max_length=40, help_text="2024-02-06 10:30 (UTC), or milliseconds"
    )
    until = serializers.CharField(required=False, max_length=40)
    type = serializers.CharField(required=False, max_length=200, help_text="entry type")
    kind = serializers.ChoiceField(
        [*KINDS, "revive", *FORMER_KINDS],
        required=False,
        help_text="what the service does with the record; tombstone: any null value; revive: its key was deleted before; dropped: rejected",
    )
    key = serializers.CharField(required=False, max_length=1000, help_text="part of the key's text")
    value = serializers.CharField(
        required=False,
        max_length=1000,
        help_text="part of the value's text",
    )
    isolation = serializers.ChoiceField(["read_committed", "read_uncommitted"], required=False)
    cleaned = serializers.BooleanField(required=False, help_text="true: as the next compaction leaves them")


def query_shape(listed: Listed) -> type[serializers.Serializer[Any]]:
    """The filters of a table."""
    members = {name: _filter(name, words) for name, (_, words) in listed.filters.items()}
    base = ReplicaParams if listed.has_replicas else Paging
    return type(f"{listed.table.title()}Query", (base,), members)


def _filter(name: str, words: str) -> serializers.Field[Any, Any, Any, Any]:
    if name in NUMBERS:
        return _number(required=False, help_text=words)
    if name in FLAGS:
        return serializers.BooleanField(required=False, help_text=words)
    return serializers.CharField(required=False, max_length=1000, help_text=words)
