"""Incidents as the Overview shows them: headline, two sentences, victims with their proof, a short plan, the findings in folds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spark.terms.findings import SEVERITIES, WORSE_THAN_LOW
from spark.terms.marked import partition_name
from webapp.reports.incidents.short_folders import with_short_folders
from webapp.reports.incidents.short_steps import (
    ShortPlan,
    fitting,
    joined,
    plain,
    sentences_of,
    short_plan,
    steps_of,
)
from webapp.reports.incidents.victims import VictimRow, victim_rows
from webapp.reports.proof import Card, make_cards
from webapp.reports.queries.record import rejected_offsets
from webapp.reports.replica_choice import asks_for_replica
from webapp.reports.report import ReportFinding
from webapp.reports.typed_text import Block, Segments, in_blocks

if TYPE_CHECKING:
    from webapp.reports.page import Page

INCIDENTS_SHOWN = 12
ROWS_SHOWN = 3  # incidents with a card or a row of their own; the others are folded by partition
CARDS_SHOWN = 12  # findings of one incident
VICTIMS_SHOWN = 4
VICTIMS_IN_FOLD = 100
SENTENCES_SHOWN = 2
WORDS_SHOWN = 45  # of these sentences; the first one is there however long it is
OFFSETS_SHOWN = 10  # that a replay kept, of several causes
OFFSET = "offset"
CONFIRMED = "Replay confirms"  # the sentence of `spark.detectors.compaction._loss_words`


@dataclass(frozen=True)
class Story:
    """What the worst finding says: two sentences, the result of a replay, and the rest for a fold."""

    sentences: list[Segments]
    replay: Segments
    rest: list[Block]


@dataclass(frozen=True)
class IncidentCard:
    """An incident, ready to be shown. `cards` are its findings, of which `more` are not among them."""

    id: str
    severity: str
    title: str
    cards: list[Card]
    more: list[ReportFinding]
    victims: Sequence[VictimRow]
    further_victims: Sequence[VictimRow]
    victim_count: int
    sentences: list[Segments]
    replay: Segments
    rejected: list[int]
    plan: ShortPlan
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
    def finding_count(self) -> int:
        """Number of its findings, with a card or without."""
        return len(self.cards) + len(self.more)

    @property
    def has_texts(self) -> bool:
        """Whether a victim needs a text that can be looked for elsewhere."""
        repair, is_asked = self.first.repair, any(row.needs for row in self.victims)
        if repair is None or not is_asked:
            return False
        return not repair.is_elsewhere or any(row.text for row in self.victims)

    @property
    def rejected_words(self) -> str:
        """`these 7 records`, `4 of these records`: of the records beside the victims, those that the service rejects."""
        chips = {chip.offset for row in (*self.victims, *self.further_victims) for chip in row.chips}
        count = len(self.rejected)
        return f"these {count:,} records" if count == len(chips) else f"{count:,} of these records"

    @property
    def is_same_for_all(self) -> bool:
        """Whether the same happens to every victim, so that the headline says it."""
        happens = {row.happens for row in (*self.victims, *self.further_victims)}
        return len(self.victims) > 1 and len(happens) == 1

    @property
    def has_needs(self) -> bool:
        """Whether a victim needs something that is lost."""
        return any(row.needs for row in (*self.victims, *self.further_victims))

    @property
    def has_chips(self) -> bool:  # output of a tool may have none
        return any(row.chips for row in (*self.victims, *self.further_victims))

    @property
    def hidden_victims(self) -> int:
        """Number of victims that no row names."""
        return self.victim_count - len(self.victims) - len(self.further_victims)

    @property
    def proofs(self) -> int:
        """Number of records that prove it, as far as they are in the dump."""
        return len({record for card in self.cards for record in card.records})

    @property
    def confidence(self) -> str:
        """`proven` only if all causes are."""
        return "proven" if all(card.finding.confidence == "proven" for card in self.cards) else "likely"


@dataclass(frozen=True)
class IncidentGroup:
    """Further incidents of one partition, worst first."""

    partition: str
    incidents: list[IncidentCard]

    @property
    def severity(self) -> str:
        """Of the worst one."""
        return self.incidents[0].severity

    @property
    def by_severity(self) -> str:
        """`5 critical, 1 high, 3 medium`."""
        counts = Counter(incident.severity for incident in self.incidents)
        return ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])


def with_rows(cards: Sequence[IncidentCard]) -> tuple[list[IncidentCard], list[IncidentGroup]]:
    """The first incidents and the one that somebody asks for, and the others by partition."""
    first = [card for number, card in enumerate(cards) if number < ROWS_SHOWN or card.asked_for]
    if len(cards) == len(first) + 1:
        return list(cards), []
    groups: dict[str, list[IncidentCard]] = defaultdict(list)
    for card in cards:
        if card not in first:
            groups[partition_name(card.first.replica.topic, card.first.replica.partition)].append(card)
    return first, [IncidentGroup(name, of) for name, of in groups.items()]


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
    if not of_selected and asks_for_replica(page.request):
        of_selected = [each for each in every if any(cause.is_about(page.replica) for cause in each.causes)]
    with_card = every if len(every) == INCIDENTS_SHOWN + 1 else every[:INCIDENTS_SHOWN]
    if of_selected and of_selected[0] not in with_card:
        with_card = [*with_card[:-1], of_selected[0]]
    rest = [cause for incident in every if incident not in with_card for cause in incident.causes]
    return [_card(page, incident, selected) for incident in with_card], rest


def finding_card(page: Page, finding: ReportFinding) -> IncidentCard:
    """One finding as if it were an incident of its own, with its victims alone."""
    incidents = page.report.document.get("incidents", [])
    victims = [row for incident in incidents for row in incident.get("victims") or []]
    own = [row for row in victims if row["finding"] == finding.id]
    return _card(page, _Incident({"victims": own}, [finding]), None)


def _incidents(document: dict[str, Any], causes: Sequence[ReportFinding]) -> list[_Incident]:
    """Incidents in the order of the report. Reports written before there were incidents get one per cause."""
    by_id = {cause.id: cause for cause in causes if cause.severity in WORSE_THAN_LOW}
    every = []
    each_alone = [{"findings": [cause_id], "title": ""} for cause_id in by_id]
    for incident in document.get("incidents") or each_alone:
        own = [by_id[name] for name in incident["findings"] if name in by_id]
        if own:
            every.append(_Incident(incident, own))
    return every


def _card(page: Page, incident: _Incident, selected: ReportFinding | None) -> IncidentCard:
    chosen = incident.causes[:CARDS_SHOWN]
    extra = [cause for cause in incident.causes if cause is selected and cause not in chosen]
    worst, *others = make_cards(page, chosen := [*chosen[: CARDS_SHOWN - len(extra)], *extra])
    rows = victim_rows(page, [worst, *others], incident.document.get("victims") or [])
    story = story_of(worst.happened, [row.victim.name for row in rows] if len(incident.causes) > 1 else ())
    cards = [replace(worst, happened=story.rest), *others]
    folders = {replica.replica for replica in page.survey.replicas if replica.replica}
    plan = incident.document.get("plan") or [] if len(incident.causes) > 1 else []
    steps = ((name, with_short_folders(line, folders)) for name, line in steps_of(plan, worst.to_do))
    return IncidentCard(
        incident.document.get("id") or worst.finding.id,
        worst.finding.severity,
        incident.title,
        [
            replace(card, happened=[with_short_lines(block, folders) for block in card.happened])
            for card in cards
        ],
        [cause for cause in incident.causes if cause not in chosen],
        rows[:VICTIMS_SHOWN],
        rows[VICTIMS_SHOWN : VICTIMS_SHOWN + VICTIMS_IN_FOLD],
        len(rows),
        [with_short_folders(sentence, folders) for sentence in story.sentences],
        replay_of(incident.causes) or story.replay,
        rejected_offsets(page.results.of(worst.replica), [chip.offset for row in rows for chip in row.chips]),
        short_plan(steps, len(rows[:VICTIMS_SHOWN])),
        next((cause.id for cause in incident.causes if cause is selected), ""),
    )


def with_short_lines(block: Block, folders: Collection[str]) -> Block:
    return replace(block, lines=[with_short_folders(line, folders) for line in block.lines])


def story_of(blocks: Sequence[Block], victims: Collection[str] = ()) -> Story:
    """The first sentences of the paragraphs, which name the consequences, up to one about a victim that has a row; lists go to the rest."""
    chosen: list[Segments] = []
    replay: Segments = ()
    rest: list[Block] = []
    for block in blocks:
        if block.is_list:
            rest.append(block)
            continue
        sentences = sentences_of(block.lines[0])
        if plain(sentences[0]).startswith(CONFIRMED):
            replay = joined(sentences)
            continue
        naming = (n for n, line in enumerate(sentences) if n and any(name in plain(line) for name in victims))
        room = min(_room(chosen, sentences), next(naming, len(sentences)))
        chosen += sentences[:room]
        rest += [Block(False, [joined(sentences[room:])])] if sentences[room:] else []
    return Story(chosen, replay, rest)


def replay_of(causes: Sequence[ReportFinding]) -> Segments:
    """For several causes: whose records undo it when they are kept, and for how many of them a replay has shown that. Of a single
    one its own sentence says it."""
    confirmed = [segments for cause in causes if (segments := _confirmed(cause))]
    if len(causes) < 2 or not confirmed:
        return ()
    segments = [segment for of_cause in confirmed for segment in of_cause if segment.get("kind") == OFFSET]
    offsets = sorted(
        {segment["text"]: segment for segment in segments}.values(),
        key=lambda each: (len(each["text"]), each["text"]),
    )
    more = len(offsets) - OFFSETS_SHOWN
    line: list[Mapping[str, Any]] = []
    for number, offset in enumerate(offsets[:OFFSETS_SHOWN]):
        is_last = number == len(offsets) - 1
        line += [{"text": (" and " if is_last else ", ") if number else ""}, offset]
    whose = "each cause" if len(confirmed) == len(causes) else f"{len(confirmed)} of {len(causes)} causes"
    begin = f"{CONFIRMED} {whose}: with the records of a cause kept ({'offset' if len(offsets) == 1 else 'offsets'} "
    end = (f" and {more} more" if more > 0 else "") + "), compaction changes nothing about its victims."
    return [{"text": begin}, *line, {"text": end}]


def _confirmed(cause: ReportFinding) -> Segments:
    """The first sentence of a finding that tells the result of a replay."""
    lines = (block.lines[0] for block in in_blocks(cause.blocks["explanation"]) if not block.is_list)
    return next((line for line in lines if plain(line).startswith(CONFIRMED)), ())


def _room(chosen: Sequence[Segments], sentences: Sequence[Segments]) -> int:
    """How many of these sentences can follow the chosen ones."""
    first = [*chosen, *sentences][:SENTENCES_SHOWN]
    return max(0, fitting(first, WORDS_SHOWN, 1) - len(chosen))
