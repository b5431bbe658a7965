"""A repair keeps the name of the topic that its user gave, where the dump does not name it."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """One field."""

    dependencies = [("journals", "0006_legal_hold")]
    operations = [
        migrations.AddField(
            model_name="repair",
            name="topic",
            field=models.CharField(
                blank=True,
                default="",
                help_text="name of the topic as the user gave it; empty: the dump names it",
                max_length=249,
            ),
        ),
    ]
