"""A rule as SQL (DuckDB): the rows that match, and the same gathered by partition. Imports no sources: the web uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.rules.columns import PLACED_BY, reading
from spark.rules.condition import Compiled, columns_of
from spark.rules.decoded import Documents, decode
from spark.rules.language import COUNT, PLACEHOLDER, CheckedRule
from spark.tables.members import JSON_OF
from spark.tables.schemas.registered import Queryable
from spark.terms.marked import plain, quote, written
from spark.terms.wording import plural

EVIDENCE = 100  # offsets kept as proof, the first ones
MAX_SHOWN = 200  # characters of a value within the text
SAME_RECORD = """ON r.topic = {0}.topic AND r."partition" = {0}."partition" AND r.replica IS NOT DISTINCT FROM {0}.replica
AND r."offset" = {0}."offset" AND r.file = {0}.file"""
WITH_DOCUMENTS = f"""(SELECT r.*, entry.attributes, {{1}} FROM {{0}} AS r LEFT JOIN
(SELECT topic, "partition", replica, "offset", file, any_value(attributes) AS attributes FROM entries GROUP BY ALL) AS entry
{SAME_RECORD.format("entry")} {{2}})"""
NONE_DECODED = "NULL::VARCHAR AS decoded_key, NULL::VARCHAR AS decoded_value"
DECODED = "decoded.decoded_key, decoded.decoded_value"
JOIN_DECODED = (
    f"LEFT JOIN (SELECT unnest($decoded, max_depth := 2)) AS decoded {SAME_RECORD.format('decoded')}"
)
UNREAD = """SELECT count(*) AS "count" FROM {0} AS r WHERE control_type IS NULL AND r."{1}" IS NOT NULL
AND r.{1}_form = 'framed' AND r.attributes IS NULL AND r.decoded_{1} IS NULL AND NOT coalesce(json_valid({2}), false)"""


def query(rule: CheckedRule, source: str, decoded: Documents = ()) -> tuple[str, dict[str, object]]:
    """SQL over `source` (the table, as the caller names it): one row per copy of a partition that has matches."""
    matching, values = matches(rule, source, decoded)
    fields = ", ".join(f"shown_{number}" for number in range(len(rule.columns_in_text)))
    first = f"arg_min(struct_pack({fields}), proof)" if fields else "NULL"
    return (
        f'SELECT topic, "partition", replica, count(*) AS "count", min(proof) AS first_offset, '
        f"max(proof) AS last_offset, min(proof, {EVIDENCE}) AS offsets, {first} AS shown "
        f"FROM ({matching}) GROUP BY ALL ORDER BY ALL",
        values,
    )


def matches(rule: CheckedRule, source: str, decoded: Documents = ()) -> tuple[str, dict[str, object]]:
    """SQL over `source`: the rows that match, each with its place, `proof` (an offset) and `shown_<n>` of its text."""
    compiled = Compiled(rule.over)
    fields = [
        f"{compiled.text(name, MAX_SHOWN)} AS shown_{number}"
        for number, name in enumerate(rule.columns_in_text)
    ]
    condition = compiled.sql_of(rule.when)
    if rule.over == "records" and "control_type" not in columns_of(rule.when):
        condition += " AND control_type IS NULL"  # control records only where the rule names them
    columns = ", ".join(["topic", '"partition"', "replica", f'"{PLACED_BY[rule.over]}" AS proof', *fields])
    if fields_read(rule):
        source = with_documents(source, decoded)
    values = compiled.values | ({"decoded": list(decoded)} if decoded else {})
    return f"SELECT {columns} FROM {source} AS r WHERE {condition}", values


def with_documents(source: str, decoded: Documents) -> str:
    """The records of `source` with what the journal type and the schemas read in them."""
    return WITH_DOCUMENTS.format(source, *((DECODED, JOIN_DECODED) if decoded else (NONE_DECODED, "")))


def fields_read(rule: CheckedRule, of_condition: bool = False) -> list[str]:
    """Of `key` and `value`: those whose members the rule, or its condition, reads."""
    names = [*columns_of(rule.when), *([] if of_condition else rule.columns_in_text)]
    references = (reading(rule.over, name) for name in names)
    return sorted(
        {reference.record_field for reference in references if reference and reference.record_field}
    )


def documents_of(rule: CheckedRule, source: str, tables: Queryable) -> Documents:
    """What schemas make of the keys and values whose members the rule reads. Raises TooManyEncoded."""
    return decode(tables, source, fields_read(rule))


def why_unread(rule: CheckedRule, source: str, tables: Queryable, decoded: Documents = ()) -> str | None:
    """Why "no match" would say more than was read: members that only a schema tells. None where all were read."""
    for record_field in fields_read(rule, of_condition=True):
        sql = UNREAD.format(with_documents(source, decoded), record_field, JSON_OF.format(record_field))
        count = tables.rows(sql, {"decoded": list(decoded)} if decoded else None)[0]["count"]
        if count:
            framed = plural(count, f"{record_field} is", f"{record_field}s are")
            return f"it reads members of {record_field}s, and {framed} encoded with a schema that is not at hand or does not match"
    return None


def fill(rule: CheckedRule, fields: Mapping[str, Any], count: int) -> str:
    """The rule's text with the values of one row (`shown_<n>`)."""
    values = {name: fields.get(f"shown_{number}") for number, name in enumerate(rule.columns_in_text)}
    values[COUNT] = f"{count:,}"
    text = PLACEHOLDER.sub(
        lambda match: "null" if values[match[1]] is None else quote(values[match[1]]), written(rule.text)
    )
    return text if plain(text).endswith((".", "?")) else f"{text}."
