"""One journal may be kept from deletion, not only a whole project."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """One field."""

    dependencies = [("journals", "0005_projects")]
    operations = [
        migrations.AddField(
            model_name="journal",
            name="is_on_hold",
            field=models.BooleanField(default=False, help_text="legal hold: nothing of it is deleted"),
        ),
    ]
