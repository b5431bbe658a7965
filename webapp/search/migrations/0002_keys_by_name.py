"""The index is emptied: housekeeping makes it again, with keys by the names of what they are about."""

from typing import Any

from django.db import migrations


def empty_index(apps: Any, schema_editor: Any) -> None:
    """Names and partitions go with their report."""
    apps.get_model("search", "IndexedReport").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("search", "0001_names")]
    operations = [migrations.RunPython(empty_index, migrations.RunPython.noop)]
