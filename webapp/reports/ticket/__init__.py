"""The report for a ticket: headline, journal, victims, cause, proof, other incidents, what a repair recovers, steps. With a link,
which has the others, the first steps: eight lines and the link at most; without one all steps.

The same words in each of the markups that ticket systems read; a markup escapes what its system would take for its
own signs, so that a key named `{code}` or `*` stays what it is. A command is never cut: a step is there whole or not at all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spark.redaction.kafka_names import NUMBERED_COPY
from spark.terms.damage import records_and_damage
from spark.terms.entity_words import by_type, named
from spark.terms.findings import WORSE_THAN_LOW
from spark.terms.marked import noun_of_replica, partition_name, partition_of_key
from spark.terms.verdict_word import verdict_word, without_word
from spark.terms.wording import at_offsets, entity_name, listed, moment, offset_range, plural, some
from webapp.reports.incidents.short_steps import short_plan, short_step, steps_of
from webapp.reports.incidents.victim_words import name_of
from webapp.reports.report import Report, ReportFinding
from webapp.reports.ticket import jira, markdown, plain
from webapp.reports.ticket.cause import cause_of
from webapp.reports.ticket.evidence import EVIDENCE_IN_TICKET, absent_from, proof_of
from webapp.reports.typed_text import Segments, blocks_of, in_blocks, in_markup

if TYPE_CHECKING:
    from webapp.reports.repair.plan import RepairPlan

SIGN_IN = "sign-in needed"  # for whom the link of a ticket opens, unless it is a share
LINES = 9  # the link's among them
STEPS = 4
OTHERS_NAMED = 2  # incidents beside the worst
STEP_CHARACTERS = 900  # of all steps together; the first one is there however long it is
PARTITIONS_IN_TICKET = 3
VICTIMS_NAMED = 5  # of a type: so many are all named, of more these and how many others
VICTIM = "victim"  # whatever happens to it: the headline says what
MARKUPS: tuple[tuple[str, str, ModuleType], ...] = (
    ("markdown", "Markdown", markdown),
    ("jira", "Jira", jira),
    ("plain", "Plain text", plain),
)


@dataclass(frozen=True)
class TicketText:
    """One of the choices of "Copy for ticket"."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class TicketIncident:
    """What the ticket says of an incident: the document's, with its findings."""

    document: Mapping[str, Any]
    causes: Sequence[ReportFinding]

    @property
    def title(self) -> list[Mapping[str, Any]]:
        """As on the Overview: the incident's own title if it has several causes."""
        return blocks_of(self.document, "title") if len(self.causes) > 1 else self.causes[0].blocks["title"]

    @property
    def steps(self) -> list[Segments]:
        """All of its plan, as the Overview counts it: what several findings have alike is one step."""
        plan = self.document.get("plan") or [] if len(self.causes) > 1 else []
        every = short_plan(steps_of(plan, in_blocks(self.causes[0].blocks["remedy"])))
        return [step.for_all for step in (*every.steps, *every.further)]


def ticket_texts(
    report: Report,
    link: str,
    opens: str = SIGN_IN,
    repair: RepairPlan | None = None,
    repair_link: str = "",
) -> list[TicketText]:
    """The report in every markup. `opens`: for whom the link opens, and what it hides. `repair`: of the worst incident, with the
    address of its page."""
    return [
        TicketText(name, title, ticket_text(report, link, markup, opens, repair, repair_link))
        for name, title, markup in MARKUPS
    ]


def ticket_text(
    report: Report,
    link: str,
    markup: ModuleType = markdown,
    opens: str = SIGN_IN,
    repair: RepairPlan | None = None,
    repair_link: str = "",
) -> str:
    """What "Copy for ticket" copies."""
    incidents = _incidents(report)
    certainty, words = headline(report, markup)
    lines = [
        f"{markup.strong(certainty)} {words}",
        *([markup.item(markup.text(repair.newer.verdict))] if repair and repair.newer else []),
        markup.item(f"Journal: {_journal(report, incidents, markup)}"),
        *(_of_incident(report, incidents, markup) if incidents else _checks(report, markup)),
        *_of_repair(repair, markup),
    ]
    steps = _steps(incidents[0], repair, repair_link, markup) if incidents else []
    if not link:
        return "\n".join([*lines, *itertools.starmap(markup.step, enumerate(steps, 1))]) + "\n"
    # The first step is often a warning: it is there however long the rest is.
    room = max(LINES - 1 - len(lines), 1)
    first_steps = list(_first(steps, min(STEPS, room), markup))
    left_out = (
        f" with {plural(len(steps) - len(first_steps), 'more step')}" if len(steps) > len(first_steps) else ""
    )
    return "\n".join([*lines, *first_steps, markup.item(f"Report{left_out} ({opens}): {link}")]) + "\n"


def headline(report: Report, markup: ModuleType = plain) -> tuple[str, str]:
    """How bad it is and how sure that is; the Overview's headline, without an incident the verdict."""
    incidents = _incidents(report)
    if not incidents:
        level, sentence = report.verdict["level"], report.verdict["sentence"]
        return f"{verdict_word(level, sentence)}.", markup.text(without_word(level, sentence))
    is_proven = all(cause.confidence == "proven" for cause in incidents[0].causes)
    severity = incidents[0].causes[0].severity.capitalize()
    return f"{severity}, {'proven' if is_proven else 'likely'}:", _line(incidents[0].title, markup)


def first_cause(report: Report) -> str:
    """Id of the finding that the headline is about; empty without an incident."""
    incidents = _incidents(report)
    return incidents[0].causes[0].id if incidents else ""


def _incidents(report: Report) -> list[TicketIncident]:
    """Worst first. A report that was written before there were incidents has one for each cause."""
    by_id = {cause.id: cause for cause in report.causes if cause.severity in WORSE_THAN_LOW}
    documents = report.document.get("incidents") or [{"findings": [name]} for name in by_id]
    incidents = [
        TicketIncident(document, [by_id[name] for name in document["findings"] if name in by_id])
        for document in documents
    ]
    return [incident for incident in incidents if incident.causes]


def _checks(report: Report, markup: ModuleType) -> Iterator[str]:
    """Without an incident: what was checked, and what better data would allow."""
    clean = plural(len(report.document.get("clean", [])), "check")
    unrun = f" {markup.text(report.unrun[0])}" if report.unrun else ""
    yield markup.item(f"Checks: {clean} ran and found nothing.{unrun}")


def _of_incident(report: Report, incidents: Sequence[TicketIncident], markup: ModuleType) -> Iterator[str]:
    """Victims that the headline does not begin with, cause and proof of the worst one, and how many others there are."""
    worst, *others = incidents
    cause = worst.causes[0]
    victims = _victims(worst)
    if not _line(worst.title, plain).casefold().startswith(victims.casefold()):
        yield markup.item(f"Victims: {markup.text(victims)}")
    if explained := cause_of(cause):
        yield markup.item(f"Cause: {in_markup(explained, markup)}{_same_at(worst.causes)}")
    evidence = sorted({offset for cause in worst.causes for offset in cause.evidence})
    if evidence:
        partition = cause.topic if cause.partition is None else partition_name(cause.topic, cause.partition)
        yield markup.item(
            f"Proof: {proof_of(evidence, absent_from(report, worst.causes), markup.code(partition), (cause.first_offset, cause.last_offset))}"
        )
    if others:
        worst_of_them = [
            other for other in others if other.causes[0].severity == others[0].causes[0].severity
        ][:OTHERS_NAMED]
        noun = f"{plural(len(others), 'more incident')}{', the most severe' if len(others) > len(worst_of_them) else ''}"
        named_others = "; ".join(_line(other.title, markup) for other in worst_of_them)
        yield markup.item(f"Also: {noun} ({others[0].causes[0].severity}): {named_others}")


def _same_at(causes: Sequence[ReportFinding]) -> str:
    """` The same applies to offsets 277 and 278.`: other findings of the cause's check that are about one offset each."""
    first, *others = causes
    if first.first_offset is None or first.first_offset != first.last_offset:
        return ""
    alike = [
        cause.first_offset
        for cause in others
        if (cause.detector, cause.topic, cause.partition, cause.replica)
        == (first.detector, first.topic, first.partition, first.replica)
        and cause.first_offset == cause.last_offset
    ]
    offsets = sorted({offset for offset in alike if offset is not None} - {first.first_offset})
    return f" The same applies to {at_offsets(offsets, EVIDENCE_IN_TICKET)}." if offsets else ""


def _of_repair(repair: RepairPlan | None, markup: ModuleType) -> Iterator[str]:
    """What a repair recovers whose trial is not complete; one that passed its trial says it in its step, one that recovers nothing is not told."""
    if repair is None or repair.is_tested or (repair.total and not repair.recovered):
        return
    sentences = ["The trial is not complete."] if repair.is_incomplete else []
    if repair.total:
        sentences.append(_recoverable(repair, markup))
    if sentences:
        yield markup.item(f"Repair: {' '.join(sentences)}")


def _recoverable(repair: RepairPlan, markup: ModuleType) -> str:
    """`Recoverable: 4 of 4 versions, from the dump mixed-older.` A link does not name the other dumps."""
    dumps = repair.origins.dumps if repair.origins else ()
    files = repair.origins.files if repair.origins else ()
    sources = [
        *(f"the dump {markup.text(dump.name)}" if dump.name else "another dump" for dump in dumps),
        *(f"the file {markup.text(name)}" for name in files),
    ]
    of = f"{repair.recovered:,} of {plural(repair.total, 'version')}"
    return f"Recoverable: {of}{f', from {listed(sources)}' if sources else ''}."


def _victims(incident: TicketIncident) -> str:
    """`3 content items (48, 61 and 63) and 4 versions`, `consumers of orders-0 (broker-1)`."""
    rows = incident.document.get("victims") or []
    places = [row for row in rows if row["entity_type"] in ("partition", "topic")]
    names: list[str] = []
    if len(places) == 1:
        rows = [row for row in rows if row not in places]
        replica = incident.causes[0].replica or ""
        noun = "" if NUMBERED_COPY.match(replica) else f"{noun_of_replica(replica)} "
        names.append(f"{name_of(places[0], {})}{f' ({noun}{replica})' if replica else ''}")
    entities = by_type([{**row, "kind": VICTIM} for row in rows], VICTIM)
    return listed(
        [
            *names,
            *(
                named(entity_type, [entity_name(entity_type, name) for name in ids], VICTIMS_NAMED)
                for entity_type, ids in entities.items()
            ),
        ]
    )


def _journal(report: Report, incidents: Sequence[TicketIncident], markup: ModuleType) -> str:
    """What was read: partitions with their offsets, the dump's time, records, damage; of copies that of the incident's."""
    coverage = report.coverage
    ranges = [
        f"{markup.code(partition_of_key(name))} {offset_range(*bounds)}"
        for name, bounds in coverage.get("offsets_per_partition", {}).items()
    ]
    offsets = f"{some(ranges, PARTITIONS_IN_TICKET)}; " if ranges else ""
    profiles = dict.fromkeys(journal.get("profile") for journal in report.document.get("journals", []))
    services = "".join(f"{markup.text(profile)}; " for profile in profiles if profile)
    newest = coverage.get("last_timestamp_ms")
    dump = f"dump of {moment(newest)}; " if newest is not None else ""
    cause = incidents[0].causes[0] if incidents else None
    copy = (cause.replica, f"{cause.topic}-{cause.partition}") if cause else (None, "")
    return f"{offsets}{dump}{services}{records_and_damage(coverage, *copy)}"


def _steps(
    incident: TicketIncident, repair: RepairPlan | None, repair_link: str, markup: ModuleType
) -> list[str]:
    """As the Overview has them: those by hand, unless a repair has passed its trial."""
    if repair is None or not repair.for_ticket:
        return [in_markup(step, markup) for step in incident.steps]
    warnings = [short_step(step).warning for step in incident.steps[:1]]
    link_title = "Report of the newer dump" if repair.newer else "The steps"
    return [
        *(in_markup(warning, markup) for warning in warnings if warning),
        " ".join(
            [
                markup.text(repair.for_ticket),
                *([_recoverable(repair, markup)] if repair.origins else []),
                *([f"{link_title}: {repair_link}"] if repair_link else []),
            ]
        ),
        "Inspect a new dump.",
    ]


def _first(steps: Sequence[str], most: int, markup: ModuleType) -> Iterator[str]:
    """The first steps, whole, as long as they are few words."""
    characters = 0
    for number, text in enumerate(steps[:most], 1):
        characters += len(text)
        if number > 1 and characters > STEP_CHARACTERS:
            return
        yield markup.step(number, text)


def _line(blocks: Sequence[Mapping[str, Any]], markup: ModuleType) -> str:
    return "".join(in_markup(block["segments"], markup) for block in blocks)
