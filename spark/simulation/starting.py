"""A service's next start on an inspected journal, as a document."""

from __future__ import annotations

from typing import Any

import orjson

from spark.dialects import Dialect, dialects
from spark.log.preferred_copy import speaking
from spark.simulation.log import InspectedLog, SimulatedLog
from spark.simulation.starts import releases_of, start
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica
from spark.tables.store import ResultTables

Document = dict[str, Any]


class NoStart(ValueError):
    """No journal of the input has a service whose start is known; says so in a sentence."""


def after_start_of(report: Document, manifest: Manifest, release: str, is_compacted: bool) -> Document:
    """What the service of the input's one such journal writes at its next start, and holds then.

    `release`: "" for the newest that is known. `is_compacted`: after that start, compaction and one more start.
    Raises NoStart, CannotStart.
    """
    replica, dialect = startable(report, manifest)
    assert dialect.interpret is not None
    log = SimulatedLog.of(InspectedLog(manifest, replica, dialect.interpret))
    chosen = release or releases_of(log, dialect)[-1]
    first = start(log, dialect, chosen)
    last = start(first.log.compacted(), dialect, chosen) if is_compacted else first
    return {
        "service": dialect.service(chosen),
        "topic": replica[0],
        "partition": replica[1],
        "writes": [
            {
                "what": write.what, "why": write.why,
                "offset": None if write.because_of is None else log.offset(write.because_of),
            }
            for write in first.started.writes
        ],
        "entities": [
            {"entity_type": kind, "entity_id": name, "attributes": comparable(text)}
            for (kind, name), text in sorted(last.started.state.items())
        ],
    }  # fmt: skip


def comparable(attributes: str) -> Document:
    """Attributes without the place in a log that nobody has."""
    document: Document = orjson.loads(attributes)
    return {name: value for name, value in document.items() if name != "record_offset"}


def startable(report: Document, manifest: Manifest) -> tuple[PartitionReplica, Dialect]:
    """The partition whose service can be started, and its dialect."""
    names = {journal["topic"]: journal["dialect"] for journal in report["journals"]}
    dialects_by_id = dialects()
    logs = [
        (replica, dialects_by_id[names[replica[0]]])
        for replica in speaking(ResultTables.open(manifest))
        if dialects_by_id[names[replica[0]]].start is not None
    ]
    if not logs:
        titles = [dialect.title for dialect in dialects_by_id.values() if dialect.start is not None]
        raise NoStart(
            f"What a service writes at its start is known for {', '.join(titles)} alone, and this is no such journal. Leave "
            "--after-start out."
        )
    if len(logs) > 1:
        raise NoStart("The input has several journals whose service can be started. Name the files of one.")
    return logs[0]
