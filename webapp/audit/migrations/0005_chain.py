"""The chain over the events, and SQLite's back door to changing one: `INSERT OR REPLACE` deletes without its trigger.

PostgreSQL has no such door: `ON CONFLICT DO UPDATE` is an update, which the trigger refuses.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

TABLES = ("audit_event", "audit_seal")
SQLITE_REPLACE = """
CREATE TRIGGER {table}_REPLACE BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
"""
SQLITE = """
CREATE TRIGGER {table}_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
"""
POSTGRESQL = """
CREATE TRIGGER audit_seal_refuse BEFORE UPDATE OR DELETE ON audit_seal
FOR EACH ROW EXECUTE FUNCTION audit_event_refuse();
CREATE TRIGGER audit_seal_keep BEFORE TRUNCATE ON audit_seal
FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse();
"""


def refuse(apps: Any, schema_editor: Any) -> None:
    """Triggers, in the database's own language."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)
        return
    for table in TABLES:
        schema_editor.execute(SQLITE_REPLACE.format(table=table))
    for verb in ("UPDATE", "DELETE"):
        schema_editor.execute(SQLITE.format(table="audit_seal", verb=verb))


def allow(apps: Any, schema_editor: Any) -> None:
    """Take them away again."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER audit_seal_refuse ON audit_seal")
        schema_editor.execute("DROP TRIGGER audit_seal_keep ON audit_seal")
        return
    for name in ("audit_event_REPLACE", "audit_seal_REPLACE", "audit_seal_UPDATE", "audit_seal_DELETE"):
        schema_editor.execute(f"DROP TRIGGER {name}")


def seal_what_is_there(apps: Any, schema_editor: Any) -> None:
    """Events of before: what they were until now nobody can tell, from now on they stay."""
    from webapp.audit import chain

    chain.seal(apps.get_model("audit", "Event"), apps.get_model("audit", "Seal"), look_back=None)


class Migration(migrations.Migration):
    """Not one transaction: PostgreSQL adds no trigger to a table that rows were just put into."""

    atomic = False
    dependencies = [("audit", "0004_indexes")]
    operations = [
        migrations.CreateModel(
            "Seal",
            [
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "event_id",
                    models.BigIntegerField(
                        unique=True, help_text="no foreign key: a missing event is what it shows"
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
            ],
        ),
        migrations.RunPython(refuse, allow),
        migrations.RunPython(seal_what_is_there, migrations.RunPython.noop),
    ]
