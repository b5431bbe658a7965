"""Rows of all tables as JSON lines, and back. Raw: no signal is sent, no time is set anew, keys stay as they are."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

# Who is signed in, and links that sign in: whoever restores signs in anew. The index of names: housekeeping makes it again.
LEFT_OUT = {
    "sessions.session",
    "usersessions.usersession",
    "accounts.onetimesignin",
    "search.indexedreport",
    "search.indexedname",
    "search.indexedpartition",
}
CHUNK = 2000
BATCH = 200


def stored_models() -> list[type[models.Model]]:
    """Models of all tables in the backup, many-to-many tables included, by name."""
    stored = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and model._meta.label_lower not in LEFT_OUT
    ]
    return sorted(stored, key=lambda model: model._meta.label_lower)


@contextmanager
def snapshot() -> Iterator[None]:
    """All reads of the block see the same moment; no locks are taken."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # not `atomic`, which would keep every writer out
        connection.cursor().execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            connection.cursor().execute("ROLLBACK")
    else:
        with transaction.atomic():
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield


def write(model: type[models.Model], file: Path) -> int:
    """One JSON object per line, column -> value; returns the number of rows."""
    names = [field.attname for field in model._meta.concrete_fields]
    rows = model._base_manager.order_by("pk").values_list(*names)
    count = 0
    with file.open("w", encoding="utf-8") as lines:
        for row in rows.iterator(CHUNK):
            document = {name: _plain(value) for name, value in zip(names, row, strict=True)}
            lines.write(json.dumps(document, ensure_ascii=False) + "\n")
            count += 1
    return count


def read(model: type[models.Model], file: Path) -> int:
    """Insert rows of `write`; returns their number. Constraints are checked at the end of the transaction."""
    count = 0
    with file.open(encoding="utf-8") as lines:
        instances = (_instance(model, json.loads(line)) for line in lines)
        while batch := list(islice(instances, BATCH)):
            manager: Any = model._base_manager  # what `save` uses; `bulk_create` would set times anew
            manager._insert(batch, fields=model._meta.concrete_fields, using=connection.alias, raw=True)
            count += len(batch)
    return count


def clear() -> None:
    """Delete rows that migrations create in an empty installation."""
    with connection.cursor() as cursor:
        for model in stored_models():
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")


def set_sequences() -> None:
    """New rows get ids above the restored ones."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), stored_models()):
            cursor.execute(sql)


def migrations() -> list[str]:
    """Applied migrations, in order."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)


def _plain(value: Any) -> Any:
    if isinstance(value, memoryview | bytes):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    is_plain = value is None or isinstance(value, bool | int | float | str | dict | list)
    return value if is_plain else str(value)


def _instance(model: type[models.Model], document: dict[str, Any]) -> models.Model:
    values = {
        field.attname: field.to_python(document[field.attname])
        for field in model._meta.concrete_fields
        if field.attname in document
    }
    return model(**values)
