"""The names and values that a partition contains: members of keys and values, headers, kinds, types; for completion.

A large partition is looked at in a few ranges of offsets; counts then say of how many records they are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from spark.codecs import json_text
from spark.tables.members import JSON_OF
from spark.tables.schemas.reader import SchemaReader
from webapp.reports.filters.decoded import has_schemas
from webapp.reports.filters.tree import name_of
from webapp.reports.queries.kinds import all_kinds
from webapp.reports.queries.partitions import LANE
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, remembered

LOOKED_AT = 2_000  # records
RANGES = 4
MAX_NAMES = 300
MAX_DEPTH = 4
MAX_BYTES = 65_536  # of a key or value; longer ones are not looked at
MAX_VALUES = 50  # that are told apart, of a name
LONG_VALUE = 60
SAMPLE = f"""
SELECT r."offset", r."key", r."value", r.headers, {JSON_OF.format("key")} AS key_json, {JSON_OF.format("value")} AS value_json,
       entry.attributes
FROM (
    SELECT * FROM records WHERE {WHERE_REPLICA} AND control_type IS NULL AND ({{among}})
        AND key_size_bytes <= {MAX_BYTES} AND value_size_bytes <= {MAX_BYTES} ORDER BY "offset" LIMIT {LOOKED_AT}
) AS r
LEFT JOIN (SELECT "offset", any_value(attributes) AS attributes FROM entries WHERE {WHERE_REPLICA} AND ({{among}}) GROUP BY ALL)
AS entry ON r."offset" = entry."offset"
"""
WORDS = "SELECT {column} AS word, count(*) AS records FROM ({table}) GROUP BY ALL ORDER BY records DESC, word LIMIT 30"
Kind = Literal["number", "text", "truth", "object"]


@dataclass
class MetName:
    """A member or header: in how many records, and its commonest values."""

    name: str
    kinds: Counter[Kind] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    numbers: list[float] = field(default_factory=list)

    @property
    def records(self) -> int:
        return self.kinds.total()

    @property
    def kind(self) -> Kind:
        return self.kinds.most_common(1)[0][0]


@dataclass(frozen=True)
class MetNames:
    """`looked_at`: records that were looked at; `of_all`: whether these are all."""

    names: dict[str, MetName]
    looked_at: int
    of_all: bool


@remembered
def met_names(
    partition: PartitionResults, bounds: tuple[int, int], records: int, hidden: frozenset[str], decodes: bool
) -> MetNames:
    """By name as a filter writes it, the commonest first. `bounds`, `records`: of the partition."""
    names: dict[str, MetName] = {}
    rows = partition.arrow(SAMPLE.replace("{among}", _ranges(*bounds)), None).to_pylist()
    reader = SchemaReader(partition.results) if decodes and has_schemas(partition) else None
    for row in rows:
        for field_name in ("key", "value"):
            if field_name not in hidden:
                _add_document(names, field_name, _document(reader, row, field_name))
        if "header" not in hidden:
            _add_headers(names, row["headers"])
    order = sorted(names.values(), key=lambda name: (-name.records, name.name))
    return MetNames({name.name: name for name in order}, len(rows), records <= len(rows))


def _ranges(low: int, high: int) -> str:
    if high - low < LOOKED_AT:
        return "true"
    width, step = LOOKED_AT // RANGES, (high - low + 1) // RANGES
    starts = [low + number * step for number in range(RANGES - 1)] + [high - width + 1]
    return " OR ".join(f'"offset" BETWEEN {start:d} AND {start + width - 1:d}' for start in starts)


def _document(reader: SchemaReader | None, row: dict[str, Any], field_name: str) -> Any:
    document = _parsed(row[f"{field_name}_json"])
    if not document and reader:
        document = _parsed(reader.document(row[field_name]))
    return document or (_parsed(row["attributes"]) if field_name == "value" else None)


def _parsed(text: str | None) -> Any:
    try:
        return json_text.read(text) if text else None
    except ValueError:
        return None


def _add_document(names: dict[str, MetName], field_name: str, document: Any) -> None:
    for path, value in _members(document, ()):
        kind: Kind = "text"
        if isinstance(value, dict | list):
            kind = "object"
        elif isinstance(value, bool):
            kind = "truth"
        elif isinstance(value, int | float):
            kind = "number"
        _add(names, name_of(field_name, path), kind, value)


def _members(document: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Members with a value, those of members included; of a list its first item."""
    if isinstance(document, list):
        document = dict(enumerate(document[:1]))
    if not isinstance(document, dict) or len(path) >= MAX_DEPTH:
        return
    for name, value in document.items():
        if value is not None:
            yield (*path, str(name)), value
            yield from _members(value, (*path, str(name)))


def _add_headers(names: dict[str, MetName], headers: Rows | None) -> None:
    for header in (headers or [])[:100]:
        if header["value"] is not None and header["key"]:
            name = bytes(header["key"]).decode("utf-8", "replace")
            _add(names, name_of("header", (name,)), "text", bytes(header["value"]).decode("utf-8", "replace"))


def _add(names: dict[str, MetName], name: str, kind: Kind, value: Any) -> None:
    if name not in names and len(names) >= MAX_NAMES:
        return
    met = names.setdefault(name, MetName(name))
    met.kinds[kind] += 1
    if kind == "number":
        met.numbers.append(value)
    if kind != "object":
        text = value if isinstance(value, str) else json.dumps(value)
        if len(text) <= LONG_VALUE and (text in met.values or len(met.values) < MAX_VALUES):
            met.values[text] += 1


@remembered
def met_words(partition: PartitionResults, column: str) -> list[tuple[str, int]]:
    """Kinds, entry types or actions with their records, the commonest first."""
    kinds, values = all_kinds(partition)
    tables = {"kind": kinds, "type": f"SELECT {LANE} AS type FROM lifelines WHERE {WHERE_REPLICA}"}
    sql = WORDS.format(
        column={"kind": "kind", "type": "type", "action": "entry_action"}[column],
        table=tables.get(column, f"SELECT entry_action FROM entries WHERE {WHERE_REPLICA}"),
    )
    return [(row["word"], row["records"]) for row in partition.rows(sql, values) if row["word"]]
