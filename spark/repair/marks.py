"""The header by which the records of a repair are recognised in the topic."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from spark.repair import Added
from spark.tables.repair_records import HEADER, STAYS_DELETED


def new_id() -> str:
    return str(uuid.uuid4())


def with_marks(records: Sequence[Added], repair: str) -> tuple[Added, ...]:
    """The records with their number in the repair, in place of marks that an earlier repair gave them."""
    total = len(records)
    return tuple(
        replace(record, headers=(*without(record, HEADER), (HEADER, mark(record, repair, number, total))))
        for number, record in enumerate(records, start=1)
    )


def mark(record: Added, repair: str, number: int, total: int) -> str:
    """The header's value."""
    return f"{repair} {number}/{total}" + (f" {STAYS_DELETED}" if record.stays_deleted else "")


def with_requests(records: Sequence[Added], name: str) -> tuple[Added, ...]:
    """The records, each with a fresh UUID as its request id."""
    return tuple(
        replace(record, headers=(*without(record, name), (name, str(uuid.uuid4())))) for record in records
    )


def without(record: Added, name: str) -> tuple[tuple[str, str | None], ...]:
    """A record's headers but those of one name."""
    return tuple(header for header in record.headers if header[0] != name)
