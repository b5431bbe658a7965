"""Findings, decisions about them, comments and saved filters."""

from __future__ import annotations

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
            name="Finding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("lineage", models.UUIDField(help_text="Journal.lineage: the journal through all its dumps")),
                ("fingerprint", models.CharField(help_text="`id` in report.json", max_length=40)),
                ("detector", models.CharField(db_index=True, max_length=200)),
                ("detector_version", models.CharField(blank=True, max_length=40)),
                ("severity", models.CharField(max_length=10)),
                ("rank", models.PositiveSmallIntegerField(help_text="of the severity: 0 is the worst")),
                ("confidence", models.CharField(blank=True, max_length=10)),
                ("title", models.TextField()),
                ("topic", models.CharField(max_length=255)),
                ("partition", models.IntegerField(null=True)),
                ("replica", models.TextField(blank=True)),
                ("key", models.TextField(null=True)),
                ("first_offset", models.BigIntegerField(null=True)),
                ("last_offset", models.BigIntegerField(null=True)),
                ("evidence_count", models.PositiveIntegerField(default=0)),
                ("is_root", models.BooleanField(default=True, help_text="no consequence of another finding")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("new", "new"),
                            ("acknowledged", "acknowledged"),
                            ("in_review", "in review"),
                            ("confirmed", "confirmed"),
                            ("false_positive", "false positive"),
                            ("resolved", "resolved"),
                            ("suppressed", "suppressed"),
                        ],
                        default="new",
                        max_length=20,
                    ),
                ),
                ("decided_at", models.DateTimeField(help_text="when a user last set the state", null=True)),
                (
                    "suppressed_until",
                    models.DateTimeField(help_text="empty: until the finding changes", null=True),
                ),
                (
                    "suppressed_digest",
                    models.TextField(blank=True, help_text="what it looked like when it was suppressed"),
                ),
                ("due_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("first_seen_at", models.DateTimeField()),
                ("last_seen_at", models.DateTimeField()),
                (
                    "presence",
                    models.CharField(
                        choices=[
                            ("created", "found for the first time"),
                            ("still", "still there"),
                            ("gone", "gone"),
                            ("back", "back again"),
                        ],
                        default="created",
                        max_length=10,
                    ),
                ),
                (
                    "assignee",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="findings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "journal",
                    models.ForeignKey(
                        help_text="the newest dump",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="findings",
                        to="journals.journal",
                    ),
                ),
                (
                    "last_inspection",
                    models.ForeignKey(
                        help_text="the last to see it",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="journals.inspection",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "ordering": ("rank", "due_at", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("text", models.TextField()),
                (
                    "records",
                    models.JSONField(
                        default=list, help_text="attached: [{inspection, topic, partition, replica, offset}]"
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("mentions", models.ManyToManyField(related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "finding",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="review.finding",
                    ),
                ),
            ],
            options={
                "ordering": ("at", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Change",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("state", "State"),
                            ("assignee", "Assignee"),
                            ("due", "Due"),
                            ("presence", "Presence"),
                            ("severity", "Severity"),
                        ],
                        max_length=10,
                    ),
                ),
                ("before", models.CharField(blank=True, max_length=150)),
                ("after", models.CharField(blank=True, max_length=150)),
                ("until", models.DateTimeField(help_text="of a suppression", null=True)),
                ("why", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        help_text="empty: Journalscope",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "inspection",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="journals.inspection",
                    ),
                ),
                (
                    "finding",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="review.finding",
                    ),
                ),
            ],
            options={
                "ordering": ("-at", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="Intake",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "inspection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="intake",
                        to="journals.inspection",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SavedFilter",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(help_text="the query of the queue's address", max_length=1000)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="review_filters",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        help_text="empty: own",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="review_filters",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Sighting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("severity", models.CharField(max_length=10)),
                ("title", models.TextField()),
                (
                    "finding",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sightings",
                        to="review.finding",
                    ),
                ),
                (
                    "inspection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sightings",
                        to="journals.inspection",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="finding",
            index=models.Index(fields=["project", "state", "rank", "due_at"], name="review_queue"),
        ),
        migrations.AddIndex(
            model_name="finding",
            index=models.Index(
                condition=models.Q(
                    ("is_root", True), ("state__in", ("new", "acknowledged", "in_review", "confirmed"))
                ),
                fields=["project", "assignee"],
                name="review_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.UniqueConstraint(fields=("lineage", "fingerprint"), name="one_row_per_finding"),
        ),
        migrations.AddIndex(
            model_name="change",
            index=models.Index(fields=["finding", "what", "at"], name="review_history"),
        ),
        migrations.AddConstraint(
            model_name="sighting",
            constraint=models.UniqueConstraint(
                fields=("finding", "inspection"), name="one_sighting_per_inspection"
            ),
        ),
    ]
