"""The bytes of keys in the table `keys`, where one print has records of several partitions."""

from __future__ import annotations

import json
from pathlib import Path

from tests.spark.log_folders import tables_of, write


def test_every_partition_has_the_bytes_of_its_keys(tmp_path: Path) -> None:
    lines = [
        {"topic": "t", "partition": partition, "offset": offset, "tstype": "create", "ts": 1, "broker": 1, "key": key, "payload": "v"}
        for partition in range(3)
        for offset, key in enumerate(("a", "b", "a", f"own-{partition}"))
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, lines)).encode() + b"\n"
    tables = tables_of(write(tmp_path / "input", {"print/t.json": text}), tmp_path / "results")
    rows = tables.rows(
        "SELECT partition, list(key::VARCHAR ORDER BY key) AS keys FROM keys GROUP BY ALL ORDER BY ALL"
    )
    assert [row["keys"] for row in rows] == [["a", "b", f"own-{partition}"] for partition in range(3)]
