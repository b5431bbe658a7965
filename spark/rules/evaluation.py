"""Asks the tables of an inspection with a rule: one finding for each copy of a partition where rows match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spark.rules.columns import NOUNS, reading
from spark.rules.condition import columns_of
from spark.rules.decoded import TooManyEncoded
from spark.rules.language import CheckedRule, parse
from spark.rules.query import documents_of, fill, query, why_unread
from spark.rules.yaml_nodes import RuleError
from spark.sources import LACKS, sources
from spark.tables.store import QueryError, ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural

PREFIX = "rule:"  # how ids of rules begin: `rule:<project>/<name>`
SECONDS = 60  # one rule may take in an inspection


@dataclass(frozen=True)
class PinnedRule:
    """A rule that an inspection is to use: `rule:<project>/<name>`, its version, its YAML."""

    id: str
    version: int
    text: str

    @property
    def as_used(self) -> dict[str, Any]:
        """As report.json names it."""
        return {"id": self.id, "version": self.version, "name": self.id.rpartition("/")[2]}


def is_rule(detector: str) -> bool:
    return detector.startswith(PREFIX)


def ask_all(
    pinned: Iterable[PinnedRule], tables: ResultTables, layouts: set[str], seconds: float = SECONDS
) -> tuple[list[Finding], dict[str, str]]:
    """Findings, and for rules that could not run the reason by id."""
    findings: list[Finding] = []
    reasons: dict[str, str] = {}
    for rule in pinned:
        try:
            findings += ask(rule, tables, layouts, seconds)
        except CouldNotRun as why:
            reasons[rule.id] = str(why)
    return findings, reasons


class CouldNotRun(Exception):
    """Why a rule says nothing of this input."""


def ask(
    pinned: PinnedRule, tables: ResultTables, layouts: set[str], seconds: float = SECONDS
) -> list[Finding]:
    """Raises CouldNotRun."""
    try:
        rule = parse(pinned.text)
    except RuleError as problem:
        raise CouldNotRun(f"version {pinned.version} of the rule cannot be read: {problem}") from problem
    if why := _lacking(rule, layouts):
        raise CouldNotRun(why)
    try:
        with tables.deadline(seconds):
            decoded = documents_of(rule, rule.over, tables)
            rows = tables.rows(*query(rule, rule.over, decoded))
            if not rows and rule.over == "entries" and not tables.rows("SELECT 1 FROM entries LIMIT 1"):
                raise CouldNotRun("it checks entries, but the journal type of this input is unknown")
            if not rows and (why := why_unread(rule, rule.over, tables, decoded)):
                raise CouldNotRun(why)
    except TooManyEncoded as problem:
        raise CouldNotRun(str(problem)) from problem
    except TimeoutError as problem:
        raise CouldNotRun(f"it took longer than {seconds:g} seconds") from problem
    except QueryError as problem:
        raise CouldNotRun(
            f"the tables of this input cannot answer it ({type(problem).__name__})"
        ) from problem
    return [describe(pinned, rule, row) for row in rows]


def describe(pinned: PinnedRule, rule: CheckedRule, row: Mapping[str, Any]) -> Finding:
    """In words: the rule's own, filled from the first row that matches."""
    count = row["count"]
    replica = marked.partition(row["topic"], row["partition"])
    first = f"The first of {plural(count, *NOUNS[rule.over])} is" if count > 1 else "It is"
    return Finding(
        detector=pinned.id,
        detector_version=str(pinned.version),
        severity=rule.severity,
        title=f"{marked.written(rule.title)}: {plural(count, *NOUNS[rule.over])} of {replica}",
        explanation=(
            f"{fill(rule, row['shown'] or {}, count)} {first} at offset {marked.offset(row['first_offset'])}. "
            f"The finding comes from the project's rule {marked.name(rule.name)}, version {marked.number(pinned.version)}."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"] or "",
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity=f"rule:{rule.name}",
        evidence=[offset for offset in row["offsets"] or () if offset is not None],
        remedy=marked.written(rule.remedy),
    )


def _lacking(rule: CheckedRule, layouts: set[str]) -> str | None:
    """Why these layouts leave a column of the condition empty, or None."""
    columns = [column for name in columns_of(rule.when) if (column := reading(rule.over, name))]
    needs = {need for column in columns for need in column.needs}
    lacking = sorted(need for need in needs if all(need in sources()[name].lacks for name in layouts))
    if not lacking or not layouts:
        return None
    titles = " and ".join(sorted(sources()[name].title for name in layouts))
    return f"not in this file format ({titles}): " + "; ".join(LACKS[need] for need in lacking)
