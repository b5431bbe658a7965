"""Clusters, questions to them, watches and captures."""

from __future__ import annotations

import uuid

import django.db.models.deletion
import django.utils.timezone
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
            name="Cluster",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=60)),
                (
                    "bootstrap",
                    models.TextField(help_text="bootstrap servers, `host:port` set apart by commas"),
                ),
                (
                    "protocol",
                    models.CharField(
                        choices=[
                            ("PLAINTEXT", "PLAINTEXT: no encryption, no sign-in"),
                            ("SSL", "SSL: TLS, sign-in by certificate if any"),
                            ("SASL_PLAINTEXT", "SASL_PLAINTEXT: sign-in without encryption"),
                            ("SASL_SSL", "SASL_SSL: TLS and sign-in"),
                        ],
                        default="PLAINTEXT",
                        max_length=20,
                    ),
                ),
                (
                    "ca_pem",
                    models.TextField(
                        blank=True, help_text="own certificate authorities; empty: those of the system"
                    ),
                ),
                (
                    "certificate_pem",
                    models.TextField(blank=True, help_text="client certificate with its chain"),
                ),
                ("check_host_name", models.BooleanField(default=True)),
                (
                    "mechanism",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("PLAIN", "PLAIN: user name and password"),
                            ("SCRAM-SHA-256", "SCRAM-SHA-256: user name and password"),
                            ("SCRAM-SHA-512", "SCRAM-SHA-512: user name and password"),
                            ("OAUTHBEARER", "OAUTHBEARER: token"),
                        ],
                        max_length=20,
                    ),
                ),
                ("username", models.CharField(blank=True, max_length=200)),
                (
                    "token_url",
                    models.CharField(
                        blank=True, help_text="gives tokens for client credentials", max_length=500
                    ),
                ),
                ("client_id", models.CharField(blank=True, max_length=200)),
                ("scope", models.CharField(blank=True, help_text="asked of `token_url`", max_length=500)),
                ("registry_url", models.CharField(blank=True, help_text="schema registry", max_length=500)),
                ("registry_username", models.CharField(blank=True, max_length=200)),
                ("registry_ca_pem", models.TextField(blank=True)),
                (
                    "sealed_secrets",
                    models.TextField(blank=True, help_text="JSON of those of SECRETS that are set, sealed"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now=True)),
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
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clusters",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Capture",
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
                ("cluster_name", models.CharField(max_length=60)),
                ("topic", models.CharField(max_length=249)),
                ("asked", models.JSONField(help_text="`CaptureSpec` of workers/capture/ask.py")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "wish",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "continue"),
                            ("pause", "Pause"),
                            ("stop", "end; make a journal of the captured records"),
                        ],
                        default="",
                        max_length=5,
                    ),
                ),
                (
                    "manifest",
                    models.JSONField(help_text="journalscope-capture.json, once it is over", null=True),
                ),
                (
                    "size_bytes",
                    models.BigIntegerField(default=0, help_text="captured so far; counts against the quota"),
                ),
                (
                    "journal",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="captures",
                        to="journals.journal",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="captures",
                        to="accounts.project",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="captures",
                        to="clusters.cluster",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="Trial",
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
                    "kind",
                    models.CharField(
                        choices=[
                            ("trial", "what works, step by step"),
                            ("topics", "which topics there are"),
                            ("estimate", "how much a capture would be"),
                            ("advice", "which formats and clients go together"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "asked",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="a `CaptureSpec` for estimates, a topic for advice",
                    ),
                ),
                ("requested_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("result", models.JSONField(help_text="the answer; of a trial, its steps so far", null=True)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="clusters.cluster",
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
                "ordering": ("-requested_at",),
            },
        ),
        migrations.CreateModel(
            name="Watch",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("topic", models.CharField(max_length=249)),
                ("asked", models.JSONField(help_text="the `CaptureSpec` of its first capture")),
                ("every_minutes", models.PositiveIntegerField(default=60)),
                ("next_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ("is_on", models.BooleanField(default=True)),
                ("failures", models.PositiveSmallIntegerField(default=0, help_text="in a row")),
                (
                    "error",
                    models.TextField(
                        blank=True, help_text="why its last run could not begin, or why it was switched off"
                    ),
                ),
                (
                    "lineage",
                    models.UUIDField(default=uuid.uuid4, editable=False, help_text="of its journals"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="watches",
                        to="clusters.cluster",
                    ),
                ),
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
                    "last_capture",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="clusters.capture",
                    ),
                ),
            ],
            options={
                "ordering": ("cluster", "topic"),
            },
        ),
        migrations.AddField(
            model_name="capture",
            name="watch",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="captures",
                to="clusters.watch",
            ),
        ),
        migrations.AddConstraint(
            model_name="cluster",
            constraint=models.UniqueConstraint(fields=("project", "name"), name="one_cluster_per_name"),
        ),
        migrations.AddIndex(
            model_name="trial",
            index=models.Index(fields=["cluster", "kind", "-requested_at"], name="newest_trial"),
        ),
        migrations.AddConstraint(
            model_name="watch",
            constraint=models.UniqueConstraint(fields=("cluster", "topic"), name="one_watch_of_a_topic"),
        ),
    ]
