"""Every journal is in a project, and dumps of one journal share a lineage. What was there goes to the first project."""

from __future__ import annotations

import uuid
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

LINEAGE_HELP = "shared by all dumps of one journal: what people decided about a finding holds for all of them"


def fill(apps: Any, schema_editor: Any) -> None:
    """A lineage of its own for each, and the first project for all."""
    journals = apps.get_model("journals", "Journal").objects
    journals.update(
        lineage=models.F("id"), project=apps.get_model("accounts", "Project").objects.order_by("pk")[0]
    )


class Migration(migrations.Migration):
    """Empty first, then filled, then required."""

    dependencies = [("journals", "0004_read_as"), ("accounts", "0003_projects")]
    operations = [
        migrations.AddField("journal", "lineage", models.UUIDField(null=True)),
        migrations.AddField(
            "journal",
            "project",
            models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to="accounts.project"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            "journal",
            "lineage",
            models.UUIDField(db_index=True, default=uuid.uuid4, editable=False, help_text=LINEAGE_HELP),
        ),
        migrations.AlterField(
            "journal",
            "project",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="journals",
                to="accounts.project",
            ),
        ),
    ]
