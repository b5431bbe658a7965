"""The database refuses to change or delete an event, whoever asks."""

from __future__ import annotations

from typing import Any

from django.db import migrations

SQLITE = """
CREATE TRIGGER audit_event_{verb} BEFORE {verb} ON audit_event
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
"""
POSTGRESQL = """
CREATE FUNCTION audit_event_refuse() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$ LANGUAGE plpgsql;
CREATE TRIGGER audit_event_refuse BEFORE UPDATE OR DELETE ON audit_event
FOR EACH ROW EXECUTE FUNCTION audit_event_refuse();
"""


def refuse(apps: Any, schema_editor: Any) -> None:
    """Triggers, in the database's own language."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)
        return
    for verb in ("UPDATE", "DELETE"):
        schema_editor.execute(SQLITE.format(verb=verb))


def allow(apps: Any, schema_editor: Any) -> None:
    """Take them away again."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER audit_event_refuse ON audit_event")
        schema_editor.execute("DROP FUNCTION audit_event_refuse()")
        return
    for verb in ("UPDATE", "DELETE"):
        schema_editor.execute(f"DROP TRIGGER audit_event_{verb}")


class Migration(migrations.Migration):
    """After the table."""

    dependencies = [("audit", "0001_events")]
    operations = [migrations.RunPython(refuse, allow)]
