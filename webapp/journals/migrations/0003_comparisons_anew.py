"""Comparisons of before called an entity lost whose deletion compaction had left alone: the page offers to compare again."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def delete_finished(apps: Any, schema_editor: Any) -> None:
    apps.get_model("journals", "Comparison").objects.filter(state="done").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("journals", "0002_single_jobs"),
    ]

    operations = [migrations.RunPython(delete_finished, migrations.RunPython.noop)]
