"""Columns `decoded_key`, `decoded_value` of an export: as JSON, what the bytes do not say as text themselves."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import pyarrow as pa

from webapp.reports.results import Results
from webapp.reports.values.decoded_values import decoded_document

SIDES = ("key", "value")
OWN_COLUMNS = ["is_entry", "attributes"]
BEGINS_JSON = (b"{", b"[")  # such bytes are their own text


def with_decoded(results: Results, portion: pa.Table, hidden: Collection[str], decodes: bool) -> pa.Table:
    """The portion with both columns; null where a side is text itself, cannot be decoded, or is hidden."""
    columns = {name: portion.column(name).to_pylist() for name in (*SIDES, *OWN_COLUMNS, "control_type")}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    portion = portion.drop_columns(OWN_COLUMNS)
    if hidden:  # the dialect read both parts
        rows = [row | {"attributes": None} for row in rows]
    for side in SIDES:
        texts = [None if side in hidden else _decoded(results, row, side, decodes) for row in rows]
        portion = portion.append_column(f"decoded_{side}", pa.array(texts, pa.string()))
    return portion


def _decoded(results: Results, row: dict[str, Any], side: str, decodes: bool) -> str | None:
    data = row[side]
    if not data or row["control_type"] or data[:1] in BEGINS_JSON:
        return None
    attributes = row["attributes"] if side == "value" else None
    document = decoded_document(results, data, attributes, bool(row["is_entry"]), decodes)
    return None if document is None else json.dumps(document, ensure_ascii=False, separators=(",", ":"))
