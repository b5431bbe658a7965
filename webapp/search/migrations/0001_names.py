"""The index of names, empty: housekeeping fills it from the reports that are there.

For parts of names: on SQLite a full-text table of trigrams that triggers keep, on PostgreSQL an index of the extension pg_trgm.
Where the database cannot have it (SQLite before 3.34, an extension that is not allowed), the search reads the table.
"""

import logging
from typing import Any

import django.db.models.deletion
from django.db import DatabaseError, migrations, models, transaction

SQLITE = (
    "CREATE VIRTUAL TABLE search_trigrams USING fts5("
    "text, content='search_indexedname', content_rowid='id', tokenize='trigram', detail='none')",
    "CREATE TRIGGER search_name_added AFTER INSERT ON search_indexedname BEGIN "
    "INSERT INTO search_trigrams(rowid, text) VALUES (new.id, new.text); END",
    "CREATE TRIGGER search_name_deleted AFTER DELETE ON search_indexedname BEGIN "
    "INSERT INTO search_trigrams(search_trigrams, rowid, text) VALUES ('delete', old.id, old.text); END",
)
NO_SQLITE = (
    "DROP TRIGGER IF EXISTS search_name_added",
    "DROP TRIGGER IF EXISTS search_name_deleted",
    "DROP TABLE IF EXISTS search_trigrams",
)
POSTGRESQL = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX search_trigrams ON search_indexedname USING gin (text gin_trgm_ops)",
)

logger = logging.getLogger(__name__)


def add_trigrams(apps: Any, schema_editor: Any) -> None:
    """Parts of names become quick to find, where the database can."""
    statements = SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL
    try:
        with transaction.atomic(schema_editor.connection.alias):
            for statement in statements:
                schema_editor.execute(statement)
    except DatabaseError as error:
        logger.warning("Searching parts of names will be slow: %s", error)


def remove_trigrams(apps: Any, schema_editor: Any) -> None:
    """PostgreSQL drops the index with its table."""
    for statement in NO_SQLITE if schema_editor.connection.vendor == "sqlite" else ():
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    initial = True

    dependencies = [("journals", "0002_single_jobs")]

    operations = [
        migrations.CreateModel(
            name="IndexedReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("names", models.PositiveIntegerField(help_text="of entities and keys in the report")),
                (
                    "indexed",
                    models.PositiveIntegerField(
                        help_text="how many of them are in the index: those with most records"
                    ),
                ),
                (
                    "inspection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="journals.inspection",
                    ),
                ),
                (
                    "journal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="indexed_report",
                        to="journals.journal",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="IndexedName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("entity", "Entity"), ("key", "Key")],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(help_text="as it is shown", max_length=300)),
                (
                    "text",
                    models.CharField(
                        help_text="what is searched: name and hashes, case folded", max_length=300
                    ),
                ),
                (
                    "short",
                    models.CharField(
                        db_index=True, help_text="the beginning of the id, case folded", max_length=64
                    ),
                ),
                (
                    "type",
                    models.CharField(
                        blank=True, help_text="of an entity, or of a key's entries", max_length=100
                    ),
                ),
                ("ident", models.TextField(blank=True, help_text="id of the entity, or of the key's page")),
                ("topic", models.CharField(max_length=255)),
                ("partition", models.IntegerField(null=True)),
                ("replica", models.TextField(blank=True)),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="search.indexedreport",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="IndexedPartition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=300)),
                ("text", models.CharField(help_text="the name, case folded", max_length=300)),
                ("topic", models.CharField(max_length=255)),
                ("partition", models.IntegerField(null=True)),
                ("replica", models.TextField(blank=True)),
                ("first_offset", models.BigIntegerField(null=True)),
                ("last_offset", models.BigIntegerField(null=True)),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="partitions",
                        to="search.indexedreport",
                    ),
                ),
            ],
        ),
        migrations.RunPython(add_trigrams, remove_trigrams),
    ]
