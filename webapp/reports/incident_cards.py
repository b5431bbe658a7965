"""Incidents as the Overview shows them: headline, victims with their proof, one plan, the findings below."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from spark.terms.entity_words import owners
from spark.terms.findings import WORSE_THAN_LOW
from spark.terms.wording import plural, version_name
from webapp.reports.proof import Card, make_cards
from webapp.reports.queries.entity import types_of
from webapp.reports.report import ReportFinding
from webapp.reports.typed_text import Segments, blocks_of, in_blocks

if TYPE_CHECKING:
    from webapp.reports.page import Page

INCIDENTS_SHOWN = 12
CARDS_SHOWN = 12  # findings of one incident
VICTIMS_SHOWN = 20
SENTENCES_SHOWN = 2
EFFECTS = {
    "lost": ("lost", "lost"),
    "revived": ("reappeared", "reappears"),
    "changed": ("changed", "changes"),
    "unreadable": ("unreadable", "becomes unreadable"),
    "misread": ("read as another", "will be read as another"),
    "missing": ("missing", "will be missing"),
    "rejected": ("rejected", "will be rejected"),
    "at_risk": ("at risk", "at risk"),
    "stuck": ("stuck", "will be stuck"),
}
WHEN = {
    "already": "",
    "next_compaction": " at the next compaction",
    "after_tombstones": " when compaction removes tombstones",
    "after_next_start": " after the next start and compaction",
}


@dataclass(frozen=True)
class Entity:
    """A victim. `url`: its page, empty if the state does not contain it."""

    name: str
    url: str


@dataclass(frozen=True)
class Victims:
    """A row of an incident's table: what one finding does to some entities."""

    entities: list[Entity]
    happens: str
    finding: ReportFinding


@dataclass(frozen=True)
class Stage:
    """A stage of the plan: one step for all findings, or the steps of one finding."""

    steps: list[Segments]
    finding: ReportFinding | None = None


@dataclass(frozen=True)
class IncidentCard:
    """An incident, ready to be shown. `cards` are its findings, of which `more` are not among them."""

    id: str
    severity: str
    title: str
    cards: list[Card]
    more: list[ReportFinding]
    victims: list[Victims]
    more_victims: int
    sentences: list[Segments]
    plan: list[Stage]
    asked_for: str = ""  # the finding that the address names

    @property
    def first(self) -> Card:
        """The worst finding."""
        return self.cards[0]

    @property
    def is_alone(self) -> bool:
        """Whether it is one finding: its review state stands at the foot of the incident."""
        return len(self.cards) == 1 and not self.more

    @property
    def is_told_whole(self) -> bool:
        """Whether its whole explanation stands at its head: it is one finding, and no table of victims follows."""
        return self.is_alone and not self.victims

    @property
    def proofs(self) -> int:
        """Number of records that prove it."""
        return len({offset for card in self.cards for offset in card.finding.evidence})

    @property
    def confidence(self) -> str:
        """`proven` only if all causes are."""
        return "proven" if all(card.finding.confidence == "proven" for card in self.cards) else "likely"


@dataclass(frozen=True)
class _Incident:
    """An incident of the document with its findings."""

    document: dict[str, Any]
    causes: list[ReportFinding]

    @property
    def title(self) -> str:
        """The incident's title if it has several causes, else that of its cause."""
        return self.document["title"] if len(self.causes) > 1 else self.causes[0].title


def incident_cards(
    page: Page, causes: Sequence[ReportFinding], selected: ReportFinding | None
) -> tuple[list[IncidentCard], list[ReportFinding]]:
    """The incidents that get a card, the one somebody asks for among them, and the findings that get none."""
    every = _incidents(page.report.document, causes)
    of_selected = [incident for incident in every if any(cause is selected for cause in incident.causes)]
    with_card = every[:INCIDENTS_SHOWN]
    if of_selected and of_selected[0] not in with_card:
        with_card = [*with_card[:-1], of_selected[0]]
    rest = [cause for incident in every if incident not in with_card for cause in incident.causes]
    return [_card(page, incident, selected) for incident in with_card], rest


def _incidents(document: dict[str, Any], causes: Sequence[ReportFinding]) -> list[_Incident]:
    """Incidents in the order of the report. Reports written before there were incidents get one per cause."""
    by_id = {cause.id: cause for cause in causes if cause.severity in WORSE_THAN_LOW}
    every = []
    for incident in document.get("incidents") or [
        {"findings": [cause_id], "title": ""} for cause_id in by_id
    ]:
        own = [by_id[name] for name in incident["findings"] if name in by_id]
        if own:
            every.append(_Incident(incident, own))
    return every


def _card(page: Page, incident: _Incident, selected: ReportFinding | None) -> IncidentCard:
    chosen = incident.causes[:CARDS_SHOWN]
    extra = [cause for cause in incident.causes if cause is selected and cause not in chosen]
    chosen = [*chosen[: CARDS_SHOWN - len(extra)], *extra]
    cards = make_cards(page, chosen)
    victims = _victims(page, incident, {cause.id: cause for cause in incident.causes})
    return IncidentCard(
        incident.document.get("id") or cards[0].finding.id,
        cards[0].finding.severity,
        incident.title,
        cards,
        [cause for cause in incident.causes if cause not in chosen],
        victims[:VICTIMS_SHOWN],
        max(0, len(victims) - VICTIMS_SHOWN),
        _sentences(cards[0]),
        _plan(incident) or [Stage([step]) for step in _steps(cards[0])],
        next((cause.id for cause in incident.causes if cause is selected), ""),
    )


def _sentences(card: Card) -> list[Segments]:
    """What the worst finding says besides its steps: the consequences, and for whom."""
    return [block.lines[0] for block in card.happened if not block.is_list][:SENTENCES_SHOWN]


def _plan(incident: _Incident) -> list[Stage]:
    """Consecutive steps of one finding are one stage."""
    if len(incident.causes) == 1:
        return []
    findings = {cause.id: cause for cause in incident.causes}
    stages = []
    for name, steps in groupby(incident.document.get("plan") or [], key=lambda step: step["finding"]):
        lines = [
            line for step in steps for block in in_blocks(blocks_of(step, "step")) for line in block.lines
        ]
        stages += [Stage(lines, findings[name])] if name in findings else [Stage([line]) for line in lines]
    return stages


def _steps(card: Card) -> list[Segments]:
    return [line for block in card.to_do for line in block.lines]


def _victims(page: Page, incident: _Incident, causes: dict[str, ReportFinding]) -> list[Victims]:
    """Rows of the table; what belongs to another victim, as a version to its artifact, is counted with that one."""
    rows = incident.document.get("victims") or []
    if [row["entity_type"] for row in rows] in (["partition"], ["topic"]):
        return []  # the headline names it
    findings = causes | {finding.id: finding for finding in page.report.findings}
    same = {(row["kind"], row["when"], row["entity_id"]) for row in rows}
    heads = [
        row
        for row in rows
        if not any((row["kind"], row["when"], owner) in same for owner in owners(row["entity_id"]))
    ]
    urls, parts = _urls(page, incident, heads), _parts(rows)
    by_finding: dict[tuple[str, str], list[Entity]] = {}
    for row in heads:
        entity = Entity(_name(row, parts[row["entity_id"]]), urls.get(row["entity_id"], ""))
        by_finding.setdefault((row["finding"], happens(row)), []).append(entity)
    return [
        Victims(entities, effect, findings[name])
        for (name, effect), entities in by_finding.items()
        if name in findings
    ]


def _parts(rows: Sequence[dict[str, Any]]) -> dict[str, Counter[str]]:
    """By id of a victim: how many entities of each type belong to it."""
    parts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for owner in owners(row["entity_id"]):
            parts[owner][row["entity_type"]] += 1
    return parts


def _name(row: dict[str, Any], parts: Mapping[str, int]) -> str:
    """`artifact pay/money with 2 versions`, `version 1 of pay/money`."""
    entity_type, entity_id = row["entity_type"].replace("-", " "), row["entity_id"]
    name = version_name(entity_id) if row["entity_type"] == "version" else f"{entity_type} {entity_id}"
    counted = [plural(count, kind.replace("-", " ")) for kind, count in parts.items()]
    return f"{name} with {' and '.join(counted)}" if counted else name


def happens(effect: dict[str, Any]) -> str:
    """`lost at the next compaction`."""
    now, later = EFFECTS.get(effect["kind"], (effect["kind"], effect["kind"]))
    return (now if effect["when"] == "already" else later) + WHEN.get(effect["when"], "")


def _urls(page: Page, incident: _Incident, rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """By id: pages of the victims that the state contains."""
    finding = incident.causes[0]
    replica = next((replica for replica in page.survey.replicas if finding.is_about(replica)), page.replica)
    types = types_of(page.results.of(replica), sorted({row["entity_id"] for row in rows}))
    return {
        row["entity_id"]: page.url_of_replica(
            replica, "report-entity", type=row["entity_type"], id=row["entity_id"]
        )
        for row in rows
        if row["entity_type"] in types.get(row["entity_id"], [])
    }
