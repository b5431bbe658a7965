"""PostgreSQL can empty a table without deleting its rows one by one: that is refused, too."""

from __future__ import annotations

from typing import Any

from django.db import migrations

TRIGGER = """
CREATE TRIGGER audit_event_keep BEFORE TRUNCATE ON audit_event
FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse()
"""


def refuse(apps: Any, schema_editor: Any) -> None:
    """SQLite knows no such thing."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(TRIGGER)


def allow(apps: Any, schema_editor: Any) -> None:
    """Take it away again."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER audit_event_keep ON audit_event")


class Migration(migrations.Migration):
    """After the other triggers."""

    dependencies = [("audit", "0002_append_only")]
    operations = [migrations.RunPython(refuse, allow)]
