"""Apicurio journals as detectors see them: entries, lifelines, and replay of what each cleaning leaves."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pyarrow as pa

from spark.detectors import Detector
from spark.dialects._history import History, ReplayRun
from spark.dialects.apicurio_v2 import dialect
from spark.simulation.removals import prove
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table
from tests.spark.apicurio_journals import content_value, json_record, records_of
from tests.spark.replays import tables as whole

Parts = tuple[bytes, bytes | None]
LEFT = {"log": lambda line: True, "next": lambda line: line["superseded_by"] is None}
LEFT["full"] = lambda line: line["superseded_by"] is None and line["kind"] not in ("tombstone", "restart")


def lifelines(records: pa.Table, entries: pa.Table) -> list[dict[str, Any]]:
    """A line for each record, as the relate stage would draw it."""
    by_key: dict[bytes, list[dict[str, Any]]] = defaultdict(list)
    lines = []
    for record, entry in zip(records.to_pylist(), entries.to_pylist(), strict=True):
        same = by_key[record["key"]]
        kind = (
            "restart"
            if entry["entry_action"] == "restart"
            else "tombstone"
            if record["value_is_null"]
            else "create"
        )
        line = {
            "offset": record["offset"],
            "key": record["key"],
            "kind": kind,
            "entry_type": entry["entry_type"],
        }
        line |= {"previous_offset": same[-1]["offset"] if same else None, "superseded_by": None}
        if same:
            same[-1]["superseded_by"] = record["offset"]
        same.append(line)
        lines.append(line)
    return lines


def replays(entries: pa.Table, lines: list[dict[str, Any]]) -> dict[str, pa.Table]:
    """STATE and REFUSALS of the three views."""
    written: dict[str, list[pa.Table]] = defaultdict(list)
    for view, is_left in LEFT.items():
        kept = pa.array([is_left(line) for line in lines], pa.bool_())
        run = ReplayRun(("kafkasql-journal", 0, ""), "", True, view)
        history = History(run, lambda name, rows: written[name].append(rows))
        assert dialect.replay is not None
        dialect.replay([entries.filter(kept)], history)
        history.finish()
    return {name: whole(written[name], name) for name in ("state", "refusals")}


def views(records: pa.Table, **others: pa.Table) -> ResultTables:
    """The tables of a journal, with others beside them."""
    entries = dialect.interpret(records) if dialect.interpret else records
    lines = lifelines(records, entries)
    drawn = lifelines_table(*lines, topic="kafkasql-journal", partition=0, replica="")
    tables = given_tables({"entries": entries, "lifelines": drawn, **replays(entries, lines), **others})
    prove(tables, {"kafkasql-journal": (dialect.id, "")})
    return tables


def found(
    detector: Detector, *records: Parts, offsets: list[int] | None = None, **others: pa.Table
) -> list[Finding]:
    """A detector's findings in a journal of these records; `offsets` where it is not whole."""
    places = offsets or range(len(records))
    numbered = [(offset, key, value) for offset, (key, value) in zip(places, records, strict=True)]
    tables = views(records_of(numbered), **others)
    return [detector.describe(row) for row in detector.find(tables)]


def content(number: int, action: int = 1, text: bytes = b"text", content_hash: Any = None) -> Parts:
    """A Content record."""
    key = {"tenantId": "_", "contentHash": content_hash or f"hash-{number}", "contentId": number}
    return json_record(2, key), content_value(action, text)


def artifact(name: str, number: int, action: int = 1, group: str | None = None, **value: Any) -> Parts:
    """An Artifact record; global id and content are those of its number unless said."""
    members = {"tenantId": "_", "groupId": group, "artifactId": name, "uuid": f"{name}-{number}-{action}"}
    said = {
        "action": action,
        "globalId": number,
        "contentHash": f"hash-{number}",
        "artifactType": "AVRO",
        **value,
    }
    return json_record(3, {k: v for k, v in members.items() if v is not None}), json_record(3, said)


def version(name: str, number: str, action: int | None) -> Parts:
    """An ArtifactVersion record; action None: null."""
    key = json_record(5, {"tenantId": "_", "artifactId": name, "version": number})
    return key, None if action is None else json_record(5, {"action": action})


def group(name: str, action: int) -> Parts:
    """A Group record."""
    return json_record(6, {"tenantId": "_", "groupId": name}), json_record(6, {"action": action})


def global_rule(action: int, config: str = "FULL", rule: str = "VALIDITY") -> Parts:
    """A GlobalRule record."""
    value = {"action": action, "config": {"configuration": config}}
    return json_record(1, {"tenantId": "_", "ruleType": rule}), json_record(1, value)


def draw(sequence: int, uuid: str | None, action: int = 1) -> Parts:
    """A GlobalId (8), ContentId (9) or CommentId (15) record; without uuid as before 2.1.4."""
    key = {"tenantId": "_", **({"uuid": uuid} if uuid else {})}
    return json_record(sequence, key), json_record(sequence, {"action": action})
