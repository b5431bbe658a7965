"""Serializers of database rows: members are columns under their names; a user is their name, any other row its key."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from rest_framework import serializers

from webapp.api.rest.pages import Person

SHOWN = ("allow_null", "choices")


class RowShape(serializers.ModelSerializer[Any]):
    """A row as it is sent. Nothing is written through it, so the columns' own bounds and help are left out.

    Members are those of `Meta.fields` in their order, then what a class declares besides.
    """

    serializer_field_mapping = serializers.ModelSerializer.serializer_field_mapping | {
        models.JSONField: serializers.DictField
    }

    def get_field_names(self, declared_fields: Any, info: Any) -> list[str]:
        """Inherited members first."""
        columns = self.Meta.fields
        return [*columns, *(name for name in declared_fields if name not in columns)]

    def build_standard_field(self, field_name: str, model_field: Any) -> tuple[type[Any], dict[str, Any]]:
        """A column; an empty choice is one of the choices."""
        kind, members = super().build_standard_field(field_name, model_field)
        names = (*SHOWN, "allow_blank") if "choices" in members else SHOWN
        return kind, {name: members[name] for name in names if name in members}

    def build_relational_field(self, field_name: str, relation_info: Any) -> tuple[type[Any], dict[str, Any]]:
        """What a foreign key points to."""
        column, other = relation_info.model_field, relation_info.related_model
        if other._meta.label == settings.AUTH_USER_MODEL:
            return Person, {}
        kind, _ = super().build_standard_field(field_name, other._meta.pk)
        return kind, {"source": f"{field_name}_id"} | ({"allow_null": True} if column.null else {})
