"""Lists: `{"results": [...], "next": address or null}`."""

from __future__ import annotations

from functools import cache
from typing import Any

from rest_framework import serializers

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000


class Paging(serializers.Serializer[Any]):
    """Of every list."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_LIMIT, default=DEFAULT_LIMIT, help_text="rows of a page at most"
    )
    cursor = serializers.CharField(
        required=False,
        max_length=1000,
        help_text="of `next` of the page before; leave it out at the beginning",
    )


@cache
def page_shape(row: type[serializers.Serializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The page of such rows."""
    members = {
        "results": row(many=True),
        "next": serializers.URLField(
            allow_null=True, help_text="the page after this; null: this is the last"
        ),
    }
    return type(f"{row.__name__.removesuffix('Shape')}Page", (serializers.Serializer,), members)


class Person(serializers.CharField):
    """A user's name; null when the account is gone."""

    def __init__(self, **extra: Any) -> None:
        super().__init__(**({"read_only": True, "allow_null": True} | extra))

    def to_representation(self, value: Any) -> str:
        """The name to sign in with."""
        return str(value.get_username())
