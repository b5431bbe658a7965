"""A rule as SQL (DuckDB): the rows that match, and the same gathered by partition. Imports no sources: the web uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.rules.columns import PLACED_BY
from spark.rules.condition import Compiled, columns_of
from spark.rules.language import COUNT, PLACEHOLDER, CheckedRule
from spark.terms.marked import plain, quote, written

EVIDENCE = 100  # offsets kept as proof, the first ones
MAX_SHOWN = 200  # characters of a value within the text


def query(rule: CheckedRule, source: str) -> tuple[str, dict[str, object]]:
    """SQL over `source` (the table, as the caller names it): one row per copy of a partition that has matches."""
    matching, values = matches(rule, source)
    fields = ", ".join(f"shown_{number}" for number in range(len(rule.columns_in_text)))
    first = f"arg_min(struct_pack({fields}), proof)" if fields else "NULL"
    return (
        f'SELECT topic, "partition", replica, count(*) AS "count", min(proof) AS first_offset, '
        f"max(proof) AS last_offset, min(proof, {EVIDENCE}) AS offsets, {first} AS shown "
        f"FROM ({matching}) GROUP BY ALL ORDER BY ALL",
        values,
    )


def matches(rule: CheckedRule, source: str) -> tuple[str, dict[str, object]]:
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
    return f"SELECT {columns} FROM {source} WHERE {condition}", compiled.values


def fill(rule: CheckedRule, fields: Mapping[str, Any], count: int) -> str:
    """The rule's text with the values of one row (`shown_<n>`)."""
    values = {name: fields.get(f"shown_{number}") for number, name in enumerate(rule.columns_in_text)}
    values[COUNT] = f"{count:,}"
    text = PLACEHOLDER.sub(
        lambda match: "null" if values[match[1]] is None else quote(values[match[1]]), written(rule.text)
    )
    return text if plain(text).endswith((".", "?")) else f"{text}."
