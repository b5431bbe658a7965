"""What answered a delivery goes where superusers alone see it."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

NOT_DELIVERED = "Not delivered. Superusers see the reason."


def move(apps: Any, schema_editor: Any) -> None:
    """Errors of before, which named addresses and answers."""
    old = apps.get_model("notifications", "Delivery").objects.exclude(last_error="").exclude(state="dropped")
    old.update(detail=models.F("last_error"), last_error=NOT_DELIVERED)


class Migration(migrations.Migration):
    """One column."""

    dependencies = [("notifications", "0001_notifications")]
    operations = [
        migrations.AddField(
            "delivery",
            "detail",
            models.TextField(blank=True, default="", help_text="what answered, for superusers"),
            preserve_default=False,
        ),
        migrations.AlterField(
            "delivery",
            "last_error",
            models.TextField(blank=True, help_text="in words, for everybody who sees the delivery"),
        ),
        migrations.RunPython(move, migrations.RunPython.noop),
    ]
