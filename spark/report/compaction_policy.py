"""Whether each topic is compacted: one answer that every page follows, with how certain it is.

    journals[].compaction => certainty:{proven | likely | assumed | no} sentence

Proven and likely are what the input shows of any copy of a partition; assumed is what the journal's service does with its
topics, where the input shows nothing; no: another cleanup.policy is told, or nothing speaks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spark.dialects import Dialect, dialects
from spark.log.cleanings import NOTHING_SHOWN
from spark.report.log_bounds import SNAPSHOTS
from spark.stages.journal_owner import Origin
from spark.tables import Manifest
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.table_phrases import as_text
from spark.terms.typed_wording import grouped, plural, sentence

Row = dict[str, Any]
# What copies of the topic's partitions show: what most of them show first, with the first copy that shows it.
SHOWN = """
    SELECT topic, compacted, why, count(*) AS copies, sum(count(*)) OVER (PARTITION BY topic)::BIGINT AS of_copies,
        min("partition") AS "partition", arg_min(replica, ("partition", replica)) AS replica,
        bool_and(bool_and(coalesce(is_log, true))) OVER (PARTITION BY topic) AS are_logs,
        bool_and(bool_and(NOT coalesce(is_log, true))) OVER (PARTITION BY topic) AS are_outputs
    FROM cleanings LEFT JOIN (
        SELECT replica, bool_and(kind = 'segment') AS is_log FROM files WHERE kind IN ('segment', 'export') GROUP BY replica
    ) USING (replica)
    GROUP BY topic, compacted, why ORDER BY copies DESC, "partition", replica, why
"""

OFFSETS_FILES = """
    SELECT topic FROM files WHERE topic IS NOT NULL GROUP BY topic HAVING bool_and(layout = 'connect-offsets-file')
"""
OF_A_FILE = (
    "not a topic: the file of a standalone worker contains the newest offset of each source partition only"
)
OF_A_SNAPSHOT = "not a topic: a snapshot of the controllers"


def with_compaction(journals: Sequence[Row], manifest: Manifest) -> list[Row]:
    """The journals of report.json, each with its member `compaction`."""
    tables = ResultTables.open(manifest)
    rows, files = tables.rows(SHOWN), {row["topic"] for row in tables.rows(OFFSETS_FILES)}
    return [
        journal
        | {"compaction": answer("no", OF_A_FILE) if journal["topic"] in files else compaction(journal, rows)}
        for journal in journals
    ]


def compaction(journal: Row, rows: Sequence[Row]) -> dict[str, str]:
    """Of one journal; `rows`: what its copies show, by certainty."""
    reasons = by_certainty(row for row in rows if row["topic"] == journal["topic"])
    dialect = dialects()[journal["dialect"]]
    if journal["topic"].startswith(SNAPSHOTS):
        return answer("no", OF_A_SNAPSHOT)
    if dialect.replay is not None and not dialect.is_compacted:
        reasons.pop("likely", None)  # with cleanup.policy=delete a tombstone means something else
    for certainty in ("proven", "likely"):
        if certainty in reasons:
            return answer(certainty, f"{certainty} to be compacted{because(reasons[certainty])}")
    if "no" in reasons:
        return answer("no", f"not compacted{because(reasons['no'])}")
    if has_topics_compacted(dialect):
        return answer("assumed", f"assumed to be compacted: journals of {dialect.title} are")
    return answer("no", "the input does not show that this topic is compacted")


def by_certainty(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows that show something."""
    reasons: dict[str, list[Row]] = {}
    for row in rows:
        if row["why"] != NOTHING_SHOWN:
            reasons.setdefault(row["compacted"], []).append(row)
    return reasons


def because(rows: Sequence[Row]) -> str:
    """The reason where every copy shows the same one; else how many copies show it, and what one of them shows."""
    first = rows[0]
    why = as_text(first["why"])
    if first["copies"] == first["of_copies"]:
        return f": {why}"
    showing = sum(row["copies"] for row in rows)
    copies = plural(first["of_copies"], *(nouns_of(first) if first["replica"] else ("partition",)))
    named = marked.partition(first["topic"], first["partition"])
    preposition = "on" if first["are_logs"] else "in"
    replica = f" {preposition} {marked.replica(first['replica'])}" if first["replica"] else ""
    who = f"all {copies}" if showing == first["of_copies"] else f"{grouped(showing)} of {copies}"
    return f", as {who} show{'s' if showing == 1 else ''} ({named}{replica}: {why})"


def nouns_of(row: Row) -> tuple[str, str]:
    """What copies are called: replicas are folders of brokers, outputs are what tools printed."""
    if row["are_logs"]:
        return "replica", "replicas"
    return ("output", "outputs") if row["are_outputs"] else ("copy", "copies")


def compacted_topics(origins: Mapping[str, Origin]) -> list[str]:
    """Topics that their service has compacted, whatever the input shows."""
    return [topic for topic, origin in origins.items() if has_topics_compacted(origin.dialect)]


def has_topics_compacted(dialect: Dialect) -> bool:
    """Whether the service behind a dialect keeps its topics with cleanup.policy=compact."""
    return dialect.is_compacted and dialect.replay is not None


def answer(certainty: str, clause: str) -> dict[str, str]:
    return {"certainty": certainty, "sentence": sentence(clause)}
