"""Tests of a member of a key or value, and of a header, as SQL over `records AS r`.

A document is JSON (`spark.tables.members`); else what a schema makes of the bytes (`decoded`); else what the journal's dialect
read in the record (`entry`). Other bytes have no members.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spark.tables.members import HEADER_TEXT, has_header, member_text
from webapp.reports.filters.matches import BoundValues, any_of, member_matches
from webapp.reports.filters.tree import FieldTest, TextMatch
from webapp.reports.results import WHERE_REPLICA

ENTRIES = f"""
LEFT JOIN (SELECT "offset", file, any_value(attributes) AS attributes FROM entries WHERE {WHERE_REPLICA} GROUP BY ALL) AS entry
ON r."offset" = entry."offset" AND r.file = entry.file
"""
DOCUMENTS = """
LEFT JOIN (SELECT unnest($decoded_offsets) AS "offset", unnest($decoded_keys) AS "key", unnest($decoded_values) AS "value") AS decoded
ON r."offset" = decoded."offset"
"""


@dataclass(frozen=True)
class DecodedDocuments:
    """Keys and values that were decoded by schemas, as JSON; null where there is none."""

    offsets: list[int] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)


def member_test(test: FieldTest, values: BoundValues, has_entries: bool, has_decoded: bool) -> str:
    further = [f'decoded."{test.name}"'] if has_decoded else []
    further += ["entry.attributes"] if has_entries else []
    return member_matches(member_text(test.name, test.path, values.bind, further), test.matches, values)


def header_test(test: FieldTest, values: BoundValues) -> str:
    """Any header of that name; null: there is none with a value."""
    name = test.path[0]
    conditions = []
    for match in test.matches:
        if isinstance(match, TextMatch) and match.is_null:
            conditions.append(f"NOT {has_header(name, 'true', values.bind)}")
        else:
            conditions.append(has_header(name, member_matches(HEADER_TEXT, (match,), values), values.bind))
    return any_of(conditions)
