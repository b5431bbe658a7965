"""For the quota of inspections, the events of one kind in a project, and those of one request.

Indexes only: a change of a column would make SQLite build the table anew, without its triggers.
"""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two."""

    dependencies = [("audit", "0003_no_truncate")]
    operations = [
        migrations.AddIndex(
            "event", models.Index(fields=("project_id", "action", "at"), name="audit_by_project")
        ),
        migrations.AddIndex("event", models.Index(fields=("request_id",), name="audit_by_request")),
    ]
