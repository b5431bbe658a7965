"""Links."""

from __future__ import annotations

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """All tables of the app, in one step; its name is what databases have recorded."""

    initial = True

    dependencies = [
        ("accounts", "0001_squashed"),
        ("journals", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Share",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("paused", "Paused"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                (
                    "error",
                    models.TextField(
                        blank=True, help_text="what went wrong and what to do, in words for the user"
                    ),
                ),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(default=0, help_text="how often a worker took it"),
                ),
                (
                    "lease",
                    models.UUIDField(editable=False, help_text="of the attempt that works on it", null=True),
                ),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "journal_name",
                    models.CharField(help_text="for lists, also when the journal is gone", max_length=200),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                ("scope", models.JSONField(help_text="what of the report: whole, tab, key, finding, record")),
                ("options", models.JSONField(help_text="what is hidden")),
                ("salt", models.BinaryField(help_text="of the hashes in it; never shown")),
                ("expires_at", models.DateTimeField(db_index=True)),
                ("password", models.CharField(blank=True, max_length=200)),
                ("max_views", models.PositiveIntegerField(null=True)),
                (
                    "audience",
                    models.CharField(
                        choices=[
                            ("link", "anyone with the link"),
                            ("signed_in", "anyone who is signed in"),
                            ("project", "members of the project"),
                        ],
                        default="link",
                        max_length=10,
                    ),
                ),
                (
                    "pinned",
                    models.JSONField(
                        default=dict, help_text="hashes of the input, rules, redaction; where it begins"
                    ),
                ),
                ("views", models.PositiveIntegerField(default=0)),
                ("last_opened_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "source_deleted_at",
                    models.DateTimeField(help_text="when the inspection it shows was deleted", null=True),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "inspection",
                    models.ForeignKey(
                        help_text="empty: deleted",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="shares",
                        to="journals.inspection",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shares",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="ShareView",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("address", models.GenericIPAddressField(null=True)),
                ("page", models.CharField(help_text="path below the link, never the token", max_length=200)),
                ("is_first", models.BooleanField(default=False, help_text="the visit began with it")),
                (
                    "share",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="opened", to="sharing.share"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
    ]
