"""Tests of a member of a key or value, and of a header, as SQL over `records AS r`.

A document is JSON by itself, behind a registry's framing, or behind the few bytes that some journals put before it; else what a
schema makes of the bytes (`decoded`); else what the journal's dialect read in the record (`entry`). Other bytes have no members.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
JSON_OF = r"""CASE WHEN r.{0}_form IN ('object', 'array') THEN TRY(decode(r."{0}"))
WHEN r.{0}_form = 'framed' THEN TRY(decode(r."{0}"[6:]))
ELSE regexp_extract(TRY(decode(r."{0}")), '(?s)^[^{{\[]{{0,16}}([{{\[].*)$', 1) END"""
MEMBER = "TRY(json_extract_string({0}, {1}))"
HEADER = "len(list_filter(r.headers, lambda header: header.key = encode({0}) AND {1}))"
HEADER_TEXT = "coalesce(TRY(decode(header.value)), CAST(header.value AS VARCHAR))"


@dataclass(frozen=True)
class DecodedDocuments:
    """Keys and values that were decoded by schemas, as JSON; null where there is none."""

    offsets: list[int] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)


def member_test(test: FieldTest, values: BoundValues, has_entries: bool, has_decoded: bool) -> str:
    steps = (step.replace("~", "~0").replace("/", "~1") for step in test.path)
    path = values.bind("".join(f"/{step}" for step in steps))
    documents = [JSON_OF.format(test.name)]
    documents += [f'decoded."{test.name}"'] if has_decoded else []
    documents += ["entry.attributes"] if has_entries else []
    members = ", ".join(MEMBER.format(document, path) for document in documents)
    return member_matches(f"coalesce({members})", test.matches, values)


def header_test(test: FieldTest, values: BoundValues) -> str:
    """Any header of that name; null: there is none with a value."""
    name = values.bind(test.path[0])
    conditions = []
    for match in test.matches:
        if isinstance(match, TextMatch) and match.is_null:
            conditions.append(f"coalesce({HEADER.format(name, 'header.value IS NOT NULL')}, 0) = 0")
        else:
            condition = f"header.value IS NOT NULL AND {member_matches(HEADER_TEXT, (match,), values)}"
            conditions.append(f"{HEADER.format(name, condition)} > 0")
    return any_of(conditions)
