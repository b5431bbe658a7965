"""An inspection keeps the format of kcat that its user gave."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """One field."""

    dependencies = [("journals", "0007_repair_topic")]
    operations = [
        migrations.AddField(
            model_name="inspection",
            name="text_format",
            field=models.CharField(
                blank=True,
                default="",
                help_text="kcat format that a user entered, for texts without a command",
                max_length=300,
            ),
        ),
    ]
