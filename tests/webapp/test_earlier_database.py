"""A database of an earlier state updates by `migrate`: what came after the first migration of each app loses no row.

A real SQLite file with the tables of the first migrations is filled with rows and handed to today's `migrate`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json
import django
django.setup()
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from tests.webapp.test_earlier_database import rows, schema

first = MigrationExecutor(connection)
leaves = first.loader.graph.leaf_nodes()
ours = {app for app, name in first.loader.graph.nodes if name == "0001_squashed"}
first.migrate([(app, "0001_squashed") if app in ours else (app, name) for app, name in leaves])

with connection.cursor() as cursor:
    cursor.execute("select id from accounts_project")
    (project,) = cursor.fetchone()
    new = (
        ("journals_blob", {"sha256": "ab" * 32, "size_bytes": 5, "stored_at": "2024-01-01"}),
        ("journals_journal", {
            "id": "1" * 32, "project_id": project, "lineage": "2" * 32, "name": "orders", "ticket": "OPS-1",
            "created_at": "2024-01-01", "input_digest": "", "is_sample": 0, "is_on_hold": 1,
        }),
        ("journals_upload", {
            "id": "3" * 32, "journal_id": "1" * 32, "name": "a.log", "size_bytes": 5, "received_bytes": 5,
            "blob_id": "ab" * 32, "created_at": "2024-01-01",
        }),
        ("journals_inspection", {
            "id": "4" * 32, "journal_id": "1" * 32, "state": "done", "attempts": 1, "created_at": "2024-01-01", "error": "",
            "verdict_level": "critical", "verdict_sentence": "1 content is lost.", "summary": "{}", "read_as": "{}",
            "text_format": "",
        }),
    )
    for table, row in new:
        places = ", ".join(["%s"] * len(row))
        cursor.execute(f"insert into {table} ({', '.join(row)}) values ({places})", list(row.values()))
before = rows(connection)
call_command("migrate", verbosity=0)
call_command("migrate", verbosity=0, check_unapplied=True)  # exits with 1 where something is left to do
print(json.dumps({"before": before, "after": rows(connection), "schema": schema(connection)}))
"""


def rows(database: Any) -> dict[str, list[dict[str, str]]]:
    """All rows of all tables but the list of migrations and the types and rights that `migrate` itself writes."""
    left_out = {"django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"}
    found: dict[str, list[dict[str, str]]] = {}
    with database.cursor() as cursor:
        for table in database.introspection.table_names(cursor):
            if table not in left_out:
                cursor.execute(f'select * from "{table}"')
                names = [column[0] for column in cursor.description]
                values = [dict(zip(names, map(str, row), strict=True)) for row in cursor.fetchall()]
                found[table] = sorted(values, key=str)
    return found


def schema(database: Any) -> dict[str, Any]:
    """Columns, constraints, indexes and triggers of each table, without the order of columns and names made of hashes."""
    found: dict[str, Any] = {}
    with database.cursor() as cursor:
        for table in database.introspection.table_names(cursor):
            cursor.execute(f'pragma table_info("{table}")')
            columns = sorted(str(column[1:]) for column in cursor.fetchall())
            constraints = database.introspection.get_constraints(cursor, table).values()
            found[table] = [columns, sorted(str(sorted(one.items(), key=str)) for one in constraints)]
        cursor.execute("select tbl_name, name, sql from sqlite_master where type = 'trigger' order by name")
        found["triggers"] = [list(trigger) for trigger in cursor.fetchall()]
    return found


@pytest.mark.heavy
@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="compares with the tests' own SQLite database")
@pytest.mark.django_db
def test_a_database_of_the_first_migrations_updates_and_loses_nothing(tmp_path: Path) -> None:
    others = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    own = {"JOURNALSCOPE_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, cwd=ROOT, env=others | own, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    updated = json.loads(done.stdout.splitlines()[-1])
    for table, before in updated["before"].items():
        after = [{name: row[name] for name in before[0]} for row in updated["after"][table]] if before else []
        assert sorted(after, key=str) == before, table
    assert len(updated["before"]["journals_upload"]) == len(updated["before"]["accounts_project"]) == 1
    assert updated["schema"] == schema(connection)
