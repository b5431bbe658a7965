"""Projects. What was there before belongs to the first one; who had a role has it there."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ROLES = ("viewer", "support", "reviewer", "admin")


def first_project(apps: Any, schema_editor: Any) -> None:
    """The project `default`, with everybody who is in a role's group; the groups are not needed any more."""
    project = apps.get_model("accounts", "Project").objects.create(slug="default", name="Default")
    memberships = apps.get_model("accounts", "Membership").objects
    groups = apps.get_model("auth", "Group").objects
    for role in ROLES:
        for group in groups.filter(name=role):
            for user in group.user_set.all():
                memberships.update_or_create(project=project, user=user, defaults={"role": role})
            group.delete()


class Migration(migrations.Migration):
    """Two tables and their first rows."""

    dependencies = [
        ("accounts", "0002_roles"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                ("name", models.CharField(max_length=100, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "retention_days",
                    models.PositiveIntegerField(
                        blank=True, help_text="a journal older than this is deleted; empty: kept", null=True
                    ),
                ),
                (
                    "is_on_hold",
                    models.BooleanField(default=False, help_text="legal hold: nothing of it is deleted"),
                ),
                (
                    "quota_bytes",
                    models.BigIntegerField(blank=True, help_text="of raw files; empty: no limit", null=True),
                ),
                (
                    "quota_inspections",
                    models.PositiveIntegerField(
                        blank=True, help_text="started within 24 hours; empty: no limit", null=True
                    ),
                ),
                (
                    "due_days",
                    models.JSONField(
                        blank=True, default=dict, help_text="severity -> days until a finding is due"
                    ),
                ),
                (
                    "masks",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text='{"fields": [paths], "patterns": [expressions]} hidden in shares',
                    ),
                ),
            ],
            options={"ordering": ("name",)},
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("role", models.CharField(choices=[(role, role) for role in ROLES], max_length=10)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="accounts.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("project__name", "user__username"),
                "constraints": [
                    models.UniqueConstraint(fields=("project", "user"), name="one_role_per_project")
                ],
            },
        ),
        migrations.RunPython(first_project, migrations.RunPython.noop),
    ]
