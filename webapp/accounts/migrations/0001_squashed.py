"""Projects, members, invitations, links that sign in once; and the first project."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def first_project(apps: Any, schema_editor: Any) -> None:
    """Where everybody works until there are others."""
    apps.get_model("accounts", "Project").objects.create(slug="default", name="Default")


class Migration(migrations.Migration):
    """All tables of the app, in one step; its name is what databases have recorded."""

    initial = True

    dependencies = [
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
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="OneTimeSignIn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
                "verbose_name": "one-time sign-in link",
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "viewer"),
                            ("support", "support"),
                            ("reviewer", "reviewer"),
                            ("admin", "admin"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "email",
                    models.EmailField(
                        blank=True, help_text="where the link was sent; empty: handed over", max_length=254
                    ),
                ),
                (
                    "is_mailed",
                    models.BooleanField(
                        default=False,
                        help_text="the link was mailed to that address: its holder reads that mail",
                    ),
                ),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "used_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
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
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "viewer"),
                            ("support", "support"),
                            ("reviewer", "reviewer"),
                            ("admin", "admin"),
                        ],
                        max_length=10,
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
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="accounts.project",
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
