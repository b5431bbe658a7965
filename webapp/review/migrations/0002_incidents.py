"""Findings know their incident."""

from typing import Any

from django.conf import settings
from django.db import migrations, models


def each_its_own(apps: Any, schema_editor: Any) -> None:
    """Findings of before are incidents of their own until their next inspection."""
    apps.get_model("review", "Finding").objects.update(incident=models.F("fingerprint"))


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed"),
        ("journals", "0001_squashed"),
        ("review", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="finding",
            name="incident",
            field=models.CharField(
                blank=True,
                help_text="what findings with one cause share; the fingerprint for one without",
                max_length=40,
            ),
        ),
        migrations.AddField(
            model_name="finding",
            name="incident_title",
            field=models.TextField(blank=True, help_text="of an incident of several findings"),
        ),
        migrations.RunPython(each_its_own, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="finding",
            index=models.Index(fields=["lineage", "incident"], name="review_incident"),
        ),
    ]
