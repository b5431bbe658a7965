"""A finding as a card: what happened in steps, the records that prove it, what it led to."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark.tables.evidence import deed_of, role_of, what_a_gap_shows, what_it_shows
from spark.tables.replica import PartitionReplica
from spark.terms.marked import plain
from webapp.reports.incidents.short_steps import plain as text_of
from webapp.reports.incidents.side_by_side import SideBySide, side_by_side
from webapp.reports.queries.entity import types_of
from webapp.reports.queries.gaps import gap_at
from webapp.reports.queries.kinds import kind_word
from webapp.reports.queries.record import read_evidence
from webapp.reports.repair.plan import RepairPlan, RepairPlans
from webapp.reports.report import ReportFinding
from webapp.reports.typed_text import Block, Segments, in_blocks, line_of_marked
from webapp.reports.values.bytes_text import one_line

if TYPE_CHECKING:
    from webapp.reports.page import Page

EVIDENCE_SHOWN = 20
CONSEQUENCES_SHOWN = 50
STARTS_LATE = "The dump starts after offset 0."  # a sentence of `spark.detectors.apicurio._content_words`


@dataclass(frozen=True)
class Proof:
    """One row of a proof table. `exists` is false when the offset is not in the dump.

    `entity_url` is the page of what the record is about, empty where no state of it is known. `role`: what the record does, in two
    words; `deed`: the same of a record that has no such role.
    """

    offset: int
    exists: bool
    timestamp_ms: int | None
    entry: str
    key: str
    marked_shows: str
    value: str
    entity_url: str = ""
    entity_id: str = ""
    role: str = ""
    writer: str = ""  # `of producer 7`
    deed: str = ""

    @property
    def shows(self) -> str:
        """What the record does, as text."""
        return plain(self.marked_shows)

    @property
    def line(self) -> Segments:
        """The same as typed text."""
        return line_of_marked(self.marked_shows)


@dataclass(frozen=True)
class ProofCopy:
    """Another copy of the partition, which shows the same, and the page that looks at that one."""

    replica: PartitionReplica
    url: str


@dataclass(frozen=True)
class Card:
    finding: ReportFinding
    replica: PartitionReplica
    happened: list[Block]
    proofs: list[Proof]
    to_do: list[Block]
    consequences: list[ReportFinding]
    more_consequences: int
    timeline_url: str
    repair: RepairPlan | None
    copies: list[ProofCopy]
    sides: SideBySide | None = None  # of a finding about several replicas

    @property
    def records(self) -> frozenset[tuple[PartitionReplica, int]]:
        """The records that prove it, as far as they are in the dump; of replicas that differ, those of each replica."""
        if self.sides:
            return self.sides.records
        absent = {proof.offset for proof in self.proofs if not proof.exists}
        return frozenset((self.replica, offset) for offset in self.finding.evidence if offset not in absent)

    @property
    def is_proof_absent(self) -> bool:
        """Whether no record that proves it is in the input: a table of them would be empty."""
        return bool(self.proofs) and not any(proof.exists for proof in self.proofs)

    @property
    def is_range_absent(self) -> bool:
        """Whether its two offsets are the ends of a range without records."""
        ends = [self.finding.first_offset, self.finding.last_offset]
        return self.is_proof_absent and [proof.offset for proof in self.proofs] == ends


def make_cards(page: Page, findings: list[ReportFinding]) -> list[Card]:
    """Cards in the order of the findings, with one query per partition."""
    replicas = {finding.id: shown_replica(page, finding) for finding in findings}
    offsets: dict[PartitionReplica, set[int]] = defaultdict(set)
    for finding in findings:
        offsets[replicas[finding.id]].update(finding.evidence[:EVIDENCE_SHOWN])
    records = {replica: _records(page, replica, sorted(of)) for replica, of in offsets.items()}
    plans = RepairPlans(page)
    return [
        _card(page, plans, finding, replicas[finding.id], records[replicas[finding.id]])
        for finding in findings
    ]


def _records(page: Page, replica: PartitionReplica, offsets: list[int]) -> dict[int, dict[str, Any]]:
    """By offset: rows with the address of their entity."""
    rows = read_evidence(page.results.of(replica), offsets)
    types = types_of(page.results.of(replica), sorted({row["entity_id"] for row in rows if row["entity_id"]}))
    for row in rows:
        meant = meant_type(row["entry_type"] or "", types.get(row["entity_id"], []))
        named = {"type": meant, "id": row["entity_id"]}
        row["entity_url"] = page.url_of_replica(replica, "report-entity", **named) if meant else ""
    return {row["offset"]: row for row in rows}


def meant_type(entry_type: str, types: list[str]) -> str:
    """Of the entities that share an id the one that such an entry is about; empty where that cannot be told."""
    same = [name for name in types if name.replace("-", "") == entry_type.lower()]
    return next(iter(same), types[0] if len(types) == 1 else "")


def shown_replica(page: Page, finding: ReportFinding) -> PartitionReplica:
    """The chosen copy if it shows the finding, or the one that the finding names; else the chosen partition when it may be
    about that, else the first it is about."""
    about = [replica for replica in page.survey.replicas if finding.is_about(replica)]
    if finding.copies and page.replica in about:
        return page.replica
    exact = [replica for replica in about if replica.replica == (finding.replica or "")]
    return next(
        iter([*exact, *[page.replica for replica in about if replica == page.replica], *about]), page.replica
    )


def _card(
    page: Page,
    plans: RepairPlans,
    finding: ReportFinding,
    replica: PartitionReplica,
    records: dict[int, dict[str, Any]],
) -> Card:
    proofs = [
        _proof(records[offset]) if offset in records else _absent(page, replica, offset)
        for offset in finding.evidence[:EVIDENCE_SHOWN]
    ]
    consequences = list(finding.all_consequences())
    plan = plans.plan_of(finding, replica)
    return Card(
        finding,
        replica,
        happened(page, finding, replica, plan),
        proofs,
        in_blocks(finding.blocks["remedy"]),
        consequences[:CONSEQUENCES_SHOWN],
        max(0, len(consequences) - CONSEQUENCES_SHOWN),
        _timeline_url(page, replica, finding),
        plan,
        _other_copies(page, finding, replica),
        side_by_side(page, finding),
    )


def happened(
    page: Page, finding: ReportFinding, replica: PartitionReplica, plan: RepairPlan | None
) -> list[Block]:
    """What the finding says; without its doubt about records before the dump, if another dump has the lost texts behind its begin."""
    blocks = in_blocks(finding.blocks["explanation"])
    first = page.survey.facts[replica].first_offset if replica in page.survey.facts else None
    offsets = [text.offset for text in plan.texts.values() if text.dump] if plan else []
    is_inside = first is not None and all(offset is not None and offset >= first for offset in offsets)
    if not (offsets and is_inside):
        return blocks
    return [block for block in blocks if block.is_list or not text_of(block.lines[0]).startswith(STARTS_LATE)]


def _other_copies(page: Page, finding: ReportFinding, replica: PartitionReplica) -> list[ProofCopy]:
    others = [PartitionReplica(replica.topic, replica.partition, name) for name in finding.copies]
    return [
        ProofCopy(copy, page.url_of_replica(copy, "report-overview", finding=finding.id))
        for copy in others
        if copy != replica and copy in page.survey.replicas
    ]


def _timeline_url(page: Page, replica: PartitionReplica, finding: ReportFinding) -> str:
    """Timeline of the finding with some margin; of a small partition, all of it."""
    facts = page.survey.facts.get(replica)
    if finding.first_offset is None or facts is None or facts.marks <= 500:
        return page.url_of_replica(replica, "report-timeline")
    last = finding.last_offset if finding.last_offset is not None else finding.first_offset
    room = max(100, last - finding.first_offset)
    return page.url_of_replica(
        replica, "report-timeline", **{"from": max(0, finding.first_offset - room), "to": last + room}
    )


def _proof(record: dict[str, Any]) -> Proof:
    entry = " ".join(word for word in (record["entry_type"], kind_word(record["entry_action"] or "")) if word)
    key = record["entity_id"] or one_line(record["key"], 60)
    value = "no value" if record["value_is_null"] else f"{record['value_size_bytes']:,} bytes"
    entry = entry or record["control_type"] or "record"
    shows = what_it_shows(record)
    return Proof(
        record["offset"],
        True,
        record["timestamp_ms"],
        entry,
        key,
        shows,
        value,
        record["entity_url"],
        record["entity_id"] or "",
        role_of(record),
        writer_of(record),
        deed_of(record),
    )


def writer_of(record: dict[str, Any]) -> str:
    """`of producer 7`; empty for a record that names none."""
    producer_id = record.get("producer_id")
    return f"of producer {producer_id}" if producer_id is not None and producer_id >= 0 else ""


def _absent(page: Page, replica: PartitionReplica, offset: int) -> Proof:
    gap = gap_at(page.results.of(replica), offset)
    return Proof(offset, False, None, "–", "–", what_a_gap_shows(gap, replica.replica), "–", role="missing")
