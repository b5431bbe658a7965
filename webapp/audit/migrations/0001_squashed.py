"""Events and the seals that chain them; the database refuses to change either, whoever asks."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

TABLES = ("audit_event", "audit_seal")
REFUSED = "the audit log is append-only"
SQLITE = f"""
CREATE TRIGGER {{table}}_{{verb}} BEFORE {{verb}} ON {{table}}
BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END
"""
# `INSERT OR REPLACE` deletes without the trigger on DELETE.
SQLITE_REPLACE = f"""
CREATE TRIGGER {{table}}_REPLACE BEFORE INSERT ON {{table}} WHEN EXISTS (SELECT 1 FROM {{table}} WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END
"""
POSTGRESQL_FUNCTION = f"""
CREATE FUNCTION audit_event_refuse() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION '{REFUSED}'; END $$ LANGUAGE plpgsql
"""
POSTGRESQL = """
CREATE TRIGGER {table}_refuse BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION audit_event_refuse();
CREATE TRIGGER {table}_keep BEFORE TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refuse()
"""


def refuse(apps: Any, schema_editor: Any) -> None:
    """Triggers, in the database's own language."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL_FUNCTION)
        for table in TABLES:
            schema_editor.execute(POSTGRESQL.format(table=table))
        return
    for table in TABLES:
        schema_editor.execute(SQLITE_REPLACE.format(table=table))
        for verb in ("UPDATE", "DELETE"):
            schema_editor.execute(SQLITE.format(table=table, verb=verb))


def allow(apps: Any, schema_editor: Any) -> None:
    """Take them away again."""
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(
                f"DROP TRIGGER {table}_refuse ON {table}; DROP TRIGGER {table}_keep ON {table}"
            )
        schema_editor.execute("DROP FUNCTION audit_event_refuse()")
        return
    for table in TABLES:
        for name in ("REPLACE", "UPDATE", "DELETE"):
            schema_editor.execute(f"DROP TRIGGER {table}_{name}")


class Migration(migrations.Migration):
    """All tables of the app, in one step; its name is what databases have recorded."""

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Seal",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "event_id",
                    models.BigIntegerField(
                        help_text="no foreign key: a missing event is what it shows", unique=True
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "actor_id",
                    models.BigIntegerField(
                        db_index=True, help_text="user; empty: the system, or a guest", null=True
                    ),
                ),
                ("actor_name", models.CharField(blank=True, max_length=150)),
                ("project_id", models.BigIntegerField(db_index=True, null=True)),
                ("action", models.CharField(db_index=True, max_length=40)),
                ("target_kind", models.CharField(blank=True, max_length=30)),
                ("target_id", models.CharField(blank=True, max_length=64)),
                ("target_name", models.CharField(blank=True, max_length=250)),
                ("address", models.GenericIPAddressField(help_text="where the request came from", null=True)),
                ("request_id", models.CharField(blank=True, max_length=32)),
                ("detail", models.JSONField(default=dict, help_text="numbers and names; never a payload")),
            ],
            options={
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(fields=["target_kind", "target_id"], name="audit_by_target"),
                    models.Index(fields=["project_id", "action", "at"], name="audit_by_project"),
                    models.Index(fields=["request_id"], name="audit_by_request"),
                ],
            },
        ),
        migrations.RunPython(refuse, allow),
    ]
