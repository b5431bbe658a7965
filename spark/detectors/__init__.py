"""Detectors: one folder per section of the catalogue, one module per detector, found by discovery.

A detector is a pure function of tables: `find` asks them in SQL (DuckDB over their Parquet files) and returns one row
per finding, `describe` turns such a row into words; both run in a Spark task. `query`, `located` and `clause` write what
most of them share. Its module ends in `detector = Detector(...)`. Its page, docs/detectors/<id>.md, holds what to do and
the references (`Detector.remedy`, `Detector.references`); its test is in tests/spark/detectors/<section>/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypedDict

from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding, Kind, Whom
from spark.terms.typed_wording import plural
from spark.terms.victims import partitions_of
from spark.units import declared, names, pages

# What would let a check run that could not, the easiest to get first.
BETTER_DATA = {
    "settings": "the topic's settings (kafka-configs.sh --describe)",
    "registry": "the schema registry's topic (_schemas)",
    "both-topics": "both topics",
    "dump": "a full dump (kcat -J)",
    "indexes": "the .txnindex files of the segments",
    "segments": "the log segments",
    "checkpoint": "the broker's cleaner-offset-checkpoint",
    "replicas": "the other replicas",
    "target": "the mirrored topics of the target cluster",
}


# Which of its findings a detector lays at one door: all of one partition and replica, of one partition in all replicas, of
# one topic, of one replica in all partitions (a disk), those whose records stand close together, or each alone.
OneCause = Literal["partition", "replicas", "topic", "disk", "burst", "each"]

# What a detector compares: records of one partition with each other (in all its replicas), or partitions, too. Of many
# partitions the former are asked a subset at a time, by tasks that each read a bounded number of records.
Scope = Literal["partition", "journal"]


class DoesNotApply(str):
    """Why a check has nothing to say about this input, whatever else came with it."""


class Location(TypedDict):
    """Where in the log a finding is, as arguments of `Finding`."""

    topic: str
    partition: int
    replica: str
    first_offset: int | None
    last_offset: int | None


@dataclass(frozen=True)
class Detector:
    """One row of the catalogue.

    find      tables -> one row per finding, with any columns
    describe  such a row -> Finding
    headline  the findings of this detector that are root causes -> the clause it adds to the verdict,
              such as "3 contents will be lost at the next compaction"
    rows_of   the tables of which one at least must have rows, or there is nothing to find (spares the job the
              trouble): a name or several; empty: run always
    needs     keys of `spark.sources.LACKS` that a source must not lack
    dialects  ids of the dialects it speaks about; empty: all
    prints    ids of the layouts of tools' output that it judges: with one of these it runs whatever the journals are
    follows   ids of detectors whose findings may be the cause of this one's (linked by shared entities)
    absent    why it cannot run on this very input (no index of aborted transactions among the files), or None;
              asked once `needs` and `dialects` are met; `DoesNotApply` where no data would change it
    asks_causes  it asks which removed record is behind what compaction changes (`compaction._causes`)
    wants     the key of BETTER_DATA with which it could run where `absent` says why not
    one_cause which of its findings are one incident
    family    the name that detectors share whose findings are one incident; empty: its own
    incident  several of its findings as one incident -> its title with event and damage; None: the headline
    scope     what it compares: then `find` may be given the rows of some partitions alone
    befalls   what happens to the partition (or topic) of a finding of severity medium or worse that names no entity, and
              for whom; None: nothing, as for what is wrong with the input and not with the journal
    in_common  what copies that have its finding have in common, with `{offsets}`; empty: they show this
    """

    id: str
    title: str
    find: Callable[[ResultTables], Iterable[Row]]
    describe: Callable[[Row], Finding]
    headline: Callable[[list[Finding]], str]
    rows_of: str | tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    dialects: tuple[str, ...] = ()
    prints: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    absent: Callable[[ResultTables], str | None] = lambda _: None
    asks_causes: bool = False
    wants: str = ""
    one_cause: OneCause = "partition"
    family: str = ""
    incident: Callable[[list[Finding]], str] | None = None
    scope: Scope = "journal"
    befalls: tuple[Kind, Whom] | None = None
    in_common: str = ""

    def has_rows(self, rows: Mapping[str, int]) -> bool:
        """Whether there may be something to find, by the row counts of the tables."""
        tables = (self.rows_of,) if isinstance(self.rows_of, str) else self.rows_of
        return not tables or any(rows.get(table) for table in tables)

    @property
    def references(self) -> list[str]:
        """Those of its page."""
        return pages.page("detectors", self.id).references

    def remedy(self, variant: str = "", /, **values: Any) -> str:
        """A variant of the remedy on its page, with these values of placeholders and conditions (`spark.units.remedies`)."""
        return pages.remedy(self.id, variant, **values)


def query(
    *questions: str, if_any: str = "", prepare: Callable[[ResultTables], object] | None = None
) -> Callable[[ResultTables], Iterable[Row]]:
    """A `find` that asks for all rows at once, in the tables that `prepare` completes. `if_any`: a cheap question before
    both; without an answer to it there is nothing to find."""

    def find(tables: ResultTables) -> Iterable[Row]:
        if if_any and not tables.rows(if_any):
            return []
        if prepare:
            prepare(tables)
        return [row for question in questions for row in tables.rows(question)]

    return find


def located(row: Row, *offsets: int | None) -> Location:
    """The row's copy of a partition, with the first and the last of these offsets; without any, with those of the row."""
    first, last = (offsets[0], offsets[-1]) if offsets else (row["first_offset"], row["last_offset"])
    return {
        "topic": row["topic"],
        "partition": row["partition"],
        "replica": row["replica"],
        "first_offset": first,
        "last_offset": last,
    }


def clause(text: str, noun: str = "", many: str | None = None) -> Callable[[list[Finding]], str]:
    """A detector's headline: `{partitions}` in the text is whom the findings are about, `{count}` how many there are, in
    the words of `plural`."""
    return lambda findings: text.format(
        partitions=partitions_of(findings), count=plural(len(findings), noun, many)
    )


@cache
def detectors() -> dict[str, Detector]:
    """All detectors by id, in the order of the catalogue's sections and module names."""
    return {detector.id: detector for members in _by_section().values() for detector in members}


def section_of(detector_id: str) -> str:
    """The folder of the catalogue in which a detector stands; empty for a rule."""
    return next(
        (
            name
            for name, members in _by_section().items()
            if any(detector.id == detector_id for detector in members)
        ),
        "",
    )


@cache
def _by_section() -> dict[str, list[Detector]]:
    return {
        section: list(declared(f"{__name__}.{section}", "detector").values()) for section in names(__name__)
    }
