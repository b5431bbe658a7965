"""Channels, messages, deliveries and what people want to be told of."""

from __future__ import annotations

import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
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
            name="Channel",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("what", models.CharField(choices=[("mail", "Mail"), ("webhook", "Webhook")], max_length=10)),
                (
                    "target",
                    models.CharField(
                        help_text="the address, or mail addresses set apart by commas", max_length=1000
                    ),
                ),
                (
                    "sealed_secret",
                    models.CharField(blank=True, help_text="signs what the webhook gets", max_length=200),
                ),
                ("kinds", models.JSONField(blank=True, default=list)),
                ("is_digest", models.BooleanField(default=False, help_text="mail only")),
                (
                    "digest_hour",
                    models.PositiveSmallIntegerField(
                        default=7, validators=[django.core.validators.MaxValueValidator(23)]
                    ),
                ),
                ("is_active", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                        related_name="channels",
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "ordering": ("created_at",),
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("kind", models.CharField(max_length=20)),
                ("subject", models.CharField(max_length=300)),
                ("text", models.TextField(blank=True)),
                ("path", models.CharField(blank=True, max_length=1000)),
                ("dedupe_key", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "project",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("in_digest", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waits"),
                            ("sending", "is being sent"),
                            ("sent", "sent"),
                            ("failed", "given up"),
                            ("dropped", "not sent"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("claim", models.UUIDField(help_text="of the worker that sends it", null=True)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                (
                    "last_error",
                    models.TextField(blank=True, help_text="in words, for everybody who sees the delivery"),
                ),
                ("detail", models.TextField(blank=True, help_text="what answered, for superusers")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "channel",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notifications.channel",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notifications.message",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Preferences",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kinds", models.JSONField(blank=True, default=list)),
                (
                    "is_digest",
                    models.BooleanField(default=False, help_text="one mail a day instead of one for each"),
                ),
                (
                    "digest_hour",
                    models.PositiveSmallIntegerField(
                        default=7, validators=[django.core.validators.MaxValueValidator(23)]
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notification_preferences",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(
                fields=("kind", "project", "dedupe_key"), name="one_message_of_an_event"
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["state", "next_try_at"], name="notifications_due"),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(fields=("message", "user"), name="one_delivery_to_a_user"),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                fields=("message", "channel"), name="one_delivery_to_a_channel"
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("user", None), ("channel", None), _connector="XOR"),
                name="delivery_to_one_recipient",
            ),
        ),
    ]
