"""Journals, their files, inspections, comparisons and repairs."""

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
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Blob",
            fields=[
                ("sha256", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("size_bytes", models.BigIntegerField()),
                ("stored_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Journal",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "lineage",
                    models.UUIDField(
                        db_index=True,
                        default=uuid.uuid4,
                        editable=False,
                        help_text="shared by all dumps of one journal: what people decided about a finding holds for all of them",
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("ticket", models.CharField(blank=True, max_length=100)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "complete_at",
                    models.DateTimeField(help_text="when the last of its files had arrived", null=True),
                ),
                (
                    "input_digest",
                    models.CharField(
                        blank=True,
                        db_index=True,
                        help_text="SHA-256 over the sorted names and hashes of its files",
                        max_length=64,
                    ),
                ),
                ("is_sample", models.BooleanField(default=False)),
                (
                    "is_on_hold",
                    models.BooleanField(default=False, help_text="legal hold: nothing of it is deleted"),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="journals",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="Inspection",
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
                    "read_as",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="topic -> dialect id that a user selected",
                    ),
                ),
                (
                    "text_format",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="kcat format that a user entered, for texts without a command",
                        max_length=300,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("verdict_level", models.CharField(blank=True, max_length=10)),
                ("verdict_sentence", models.TextField(blank=True)),
                (
                    "summary",
                    models.JSONField(
                        default=dict, help_text="records, span, dialects, open findings: for lists only"
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "journal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="inspections",
                        to="journals.journal",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="Repair",
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
                    "topic",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="name of the topic as the user gave it; empty: the dump names it",
                        max_length=249,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("result", models.JSONField(help_text="docs/repair.md, once the state is done", null=True)),
                (
                    "inspection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="repairs",
                        to="journals.inspection",
                    ),
                ),
                (
                    "older",
                    models.ManyToManyField(
                        help_text="inspections of older dumps that may hold what was lost",
                        related_name="repairs_fed",
                        to="journals.inspection",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="RepairFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=1000)),
                ("blob", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="journals.blob")),
                (
                    "repair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="journals.repair",
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Comparison",
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
                    "requested_at",
                    models.DateTimeField(help_text="when it was asked for, the last time if several"),
                ),
                ("result", models.JSONField(help_text="docs/compare.md, once the state is done", null=True)),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "left",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comparisons_left",
                        to="journals.inspection",
                    ),
                ),
                (
                    "right",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comparisons_right",
                        to="journals.inspection",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("left", "right"), name="one_comparison_of_two")
                ],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(help_text="path relative to what was dropped", max_length=1000)),
                ("size_bytes", models.BigIntegerField()),
                ("received_bytes", models.BigIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "expires_at",
                    models.DateTimeField(help_text="an unfinished upload is removed after this", null=True),
                ),
                (
                    "blob",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, to="journals.blob"
                    ),
                ),
                (
                    "journal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="journals.journal",
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(fields=("journal", "name"), name="one_file_per_name")
                ],
            },
        ),
    ]
