"""The four roles as groups."""

from __future__ import annotations

from typing import Any

from django.db import migrations

ROLES = ("viewer", "support", "reviewer", "admin")


def create_roles(apps: Any, schema_editor: Any) -> None:
    """One group each."""
    groups = apps.get_model("auth", "Group").objects
    for role in ROLES:
        groups.get_or_create(name=role)


class Migration(migrations.Migration):
    """Groups stay when the migration is taken back: people may be in them."""

    dependencies = [("accounts", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [migrations.RunPython(create_roles, migrations.RunPython.noop)]
