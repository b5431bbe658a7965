"""Roles that groups of the identity provider give, next to those given by hand."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="group_role",
            field=models.CharField(
                blank=True,
                default="",
                help_text="given by a group of the provider; empty: none",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="hand_role",
            field=models.CharField(
                blank=True,
                default="",
                help_text="given by hand next to that of a group; empty: none",
                max_length=10,
            ),
        ),
        migrations.CreateModel(
            name="GroupSuperuser",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
    ]
