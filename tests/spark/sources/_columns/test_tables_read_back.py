"""200 tables made from known records are read back exactly, by a mapping and, where names tell, without one."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark.sources import HEAD_BYTES, InputFile, Source
from spark.sources.kcat_format import with_text_format
from spark.sources.other_csv import source as other_csv
from spark.sources.other_json import source as other_json
from spark.terms.column_mapping import ColumnName, written_columns
from tests.spark.sources._columns.printed_tables import FORMS, document, text
from tests.spark.sources.prints import read_file

TABLES = 200
NAMES = {
    "topic": ["stream", "Topic Name", "t"],
    "partition": ["shard", "Partition ID", "p#"],
    "offset": ["pos", "message_offset", "nr"],
    "timestamp": ["written", "ts", "when"],
    "key": ["who", "Message Key", "id_of"],
    "value": ["what", "payload", "doc"],
}
PER_S = {"s": 1, "ms": 1000, "us": 1_000_000}


def made(number: int) -> tuple[str, dict[str, str], list[dict[str, Any]], str]:
    """The form, names by part, the records, the text."""
    chance = random.Random(number)
    form = list(FORMS)[number % len(FORMS)]
    names = {role: chance.choice(choices) for role, choices in NAMES.items()}
    unit = chance.choice(list(PER_S))
    records = [
        {
            "topic": "orders",
            "partition": chance.randrange(3),
            "offset": 7 + 2 * row,
            "timestamp": 1_700_000_000 + row,
            "key": text(chance),
            "value": document(chance, form),
        }
        for row in range(chance.randrange(2, 30))
    ]
    roles = list(names)
    chance.shuffle(roles)
    rows = [
        [str(record[role] * PER_S[unit] if role == "timestamp" else record[role]) for role in roles]
        for record in records
    ]
    others = [[*row, str(chance.random())] for row in rows]
    return form, names, records, FORMS[form]([*(names[role] for role in roles), "not read"], others)


def saved(content: str, folder: Path) -> InputFile:
    path = folder / "table.txt"
    path.write_text(content, newline="")
    return InputFile(path.name, str(path), path.stat().st_size)


def reading(file: InputFile) -> Source:
    head = Path(file.path).read_bytes()[:HEAD_BYTES]
    matching = [one for one in (other_csv, other_json) if one.recognise(file, head).matches]
    assert len(matching) == 1, [one.recognise(file, head) for one in (other_csv, other_json)]
    return matching[0]


@pytest.mark.parametrize("batch", range(10))
def test_tables_are_read_back(batch: int, tmp_path: Path) -> None:
    for number in range(batch * TABLES // 10, (batch + 1) * TABLES // 10):
        form, names, records, content = made(number)
        before = "_source." if form == "json within" else ""
        mapping = written_columns({role: ColumnName(before + name) for role, name in names.items()})
        [file] = with_text_format([saved(content, tmp_path)], mapping)
        source = reading(file)
        found = read_file(source, file)
        assert not found.damage, (number, form, found.damage[:1], content[:300])
        rows = [
            {
                **{role: row[role] for role in ("topic", "partition", "offset")},
                "timestamp": row["timestamp_ms"] // 1000,
                **{role: row[role].decode() for role in ("key", "value")},
            }
            for row in found.records
        ]
        assert rows == records, (number, form, content[:400])
        plain = replace(file, command="")
        if names["offset"] == "message_offset" and {names["key"], names["value"]} & {
            "Message Key",
            "payload",
        }:
            assert len(read_file(reading(plain), plain).records) == len(records), (number, form)
