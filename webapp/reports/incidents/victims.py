"""The victims of an incident, a row each: what happens to it, the records that prove it, where a lost text can be taken from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark.tables.replica import PartitionReplica
from spark.terms.entity_words import owners
from spark.terms.findings import OF_THE_LOG
from webapp.reports.incidents.chips import (
    CHIPS_SHOWN,
    Chip,
    around,
    as_ranges,
    chips_of,
    holder_of,
    with_deeds,
    with_rejections,
    with_roles_once,
    with_their_role,
)
from webapp.reports.incidents.partition_words import by_check, partition_effect, with_partition_roles
from webapp.reports.incidents.victim_words import (
    OF_PARTITION,
    UNREADABLE,
    VALUE,
    WITHOUT_LEADER,
    happens,
    is_stop,
    misread_words,
    name_of,
    of_one_topic,
    stopped,
    value_offset,
)
from webapp.reports.proof import Card, Proof, make_cards, meant_type
from webapp.reports.queries.entity import records_with_content_of, types_of
from webapp.reports.queries.isolation import hidden_behind, readable_after
from webapp.reports.queries.partitions import PartitionTables
from webapp.reports.queries.record import rejected_offsets
from webapp.reports.repair.origins import TextOrigin
from webapp.reports.report import ReportFinding
from webapp.reports.results import PartitionResults

if TYPE_CHECKING:
    from webapp.reports.page import Page

CAUSED_READ = 12  # findings that a cause led to, and whose records are read for their roles
CONTENT = "content"
CONTAINS = "contains it"  # role of a record, as `spark.tables.evidence.role_of` words it
HARM = ("lost", "missing", "unreadable", "stuck", "misread", "changed", "revived", "rejected", "at_risk")


@dataclass(frozen=True)
class Entity:
    """A victim. `url`: its page, empty if the state does not contain it."""

    name: str
    url: str = ""


@dataclass(frozen=True)
class VictimRow:
    """A row of an incident's table. `needs`: the content that it lost, `text`: where that can be taken from."""

    victim: Entity
    happens: str
    needs: Entity | None
    chips: Sequence[Chip]
    text: TextOrigin | None = None
    replica: PartitionReplica | None = None

    @property
    def chip_groups(self) -> list[Sequence[Chip]]:
        """Chips that stay on one line: the last before a role stays with the one that has it."""
        return with_their_role(self.chips)


def victim_rows(page: Page, cards: Sequence[Card], victims: Sequence[Mapping[str, Any]]) -> list[VictimRow]:
    """Rows of the table. What belongs to another victim, as a version to its artifact, is counted with that one; a content
    that another victim needs is told in its row."""
    findings = {finding.id: finding for finding in page.report.findings}
    heads = sorted((row for row in heads_of(victims) if row["finding"] in findings), key=harm)
    misread = misread_by(heads, findings)
    heads = [row for row in heads if not any(row is cause for cause in misread.values())]
    heads = of_one_topic(heads, {name for name, finding in findings.items() if not finding.evidence})
    contents = {row["finding"]: row for row in heads if row["entity_type"] == CONTENT}
    with_content = {row["finding"] for row in heads if row["entity_type"] != CONTENT}
    rows = [row for row in heads if row["entity_type"] != CONTENT or row["finding"] not in with_content]
    named = list(dict.fromkeys(row["finding"] for row in heads))
    caused = [findings[name] for name in named if all(name != card.finding.id for card in cards)]
    by_finding = {card.finding.id: card for card in (*cards, *make_cards(page, caused[:CAUSED_READ]))}
    evidence = [offset for name in named for offset in findings[name].evidence[:CHIPS_SHOWN]]
    rejected = set(rejected_offsets(page.results.of(cards[0].replica), evidence))
    urls, parts = _urls(page, cards[0].replica, heads), parts_of(victims)
    values = {value_offset(row["entity_id"]) for row in heads if row["entity_type"] == VALUE}
    copies = copies_of_texts(page, cards[0], [row["entity_id"] for row in contents.values()])
    return [
        _row(
            page,
            row,
            by_finding.get(row["finding"], cards[0]),
            findings[row["finding"]],
            contents.get(row["finding"]),
            urls,
            parts,
            rejected,
            misread.get(row["finding"]),
            proofs_of(by_finding, misread.get(row["finding"])),
            values,
            copies,
        )
        for row in rows
    ]


def _row(
    page: Page,
    row: Mapping[str, Any],
    card: Card,
    finding: ReportFinding,
    content: Mapping[str, Any] | None,
    urls: Mapping[str, str],
    parts: Mapping[str, Counter[str]],
    rejected: Collection[int],
    misread: Mapping[str, Any] | None,
    of_misread: Sequence[Proof],
    values: Collection[int],
    copies: Mapping[str, TextOrigin],
) -> VictimRow:
    """`values`: offsets of lost values, which have rows of their own."""
    need = content if content is not row else None
    proofs = card.proofs if card.finding is finding else []
    origins = card.repair.texts if card.repair else {}
    lost = content["entity_id"] if content else ""
    others = values if row["entity_type"] == "partition" else ()
    proofs = [proof for proof in proofs if proof.offset not in others]
    chips = with_rejections(chips_of(row, need, proofs, finding.evidence), rejected)
    chips = around(chips, finding) if row["kind"] == "missing" else with_deeds(chips, row, proofs)
    chips = as_ranges(chips, finding)
    chips = with_partition_roles(chips, finding) if row["entity_type"] == "partition" else chips
    chips = [*holder_of(row, of_misread), *chips][:CHIPS_SHOWN]
    own = next((TextOrigin(chip.offset) for chip in chips if chip.role == CONTAINS), None)
    text = origins.get(f"content {lost}", own) or copies.get(lost) if lost else None
    own_text = text.offset if need and text is not None and text.dump is None else None
    return VictimRow(
        Entity(name_of(row, parts[row["entity_id"]]), urls.get(row["entity_id"], "")),
        consequence(page, row, finding, card.replica) + (f"; {misread_words(misread)}" if misread else ""),
        Entity(f"content {lost}", urls.get(lost, "")) if need else None,
        with_roles_once([chip for chip in chips if chip.offset != own_text]),
        text,
        card.replica,
    )


def copies_of_texts(page: Page, worst: Card, contents: Sequence[str]) -> dict[str, TextOrigin]:
    """By content of which a trial names no origin: a record of this dump that has the same content under another id."""
    if worst.repair is None or worst.repair.word != "Tested":
        return {}
    lacking = [name for name in contents if f"content {name}" not in worst.repair.texts]
    copies = records_with_content_of(page.results.of(worst.replica), lacking)
    return {name: TextOrigin(offset) for name, offset in copies.items()}


def heads_of(victims: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Victims that belong to no other one with the same fate."""
    same = {(row["kind"], row["when"], row["entity_id"]) for row in victims}
    return [
        row
        for row in victims
        if not any((row["kind"], row["when"], owner) in same for owner in owners(row["entity_id"]))
    ]


def misread_by(
    rows: Sequence[Mapping[str, Any]], findings: Mapping[str, ReportFinding]
) -> dict[str, Mapping[str, Any]]:
    """By finding about a victim: the id that consumers misread because of the same cause, which its row then tells too."""
    ids = {
        row["finding"]: row
        for row in rows
        if row["kind"] == "misread" and row["entity_type"] not in OF_THE_LOG
    }
    causes = {
        row["finding"]: findings[row["finding"]].consequence_of for row in rows if row["kind"] != "misread"
    }
    return {finding: ids[cause] for finding, cause in causes.items() if cause in ids}


def proofs_of(cards: Mapping[str, Card], row: Mapping[str, Any] | None) -> Sequence[Proof]:
    """The records that prove what happens to a victim, as far as its finding has a card."""
    card = cards.get(row["finding"]) if row else None
    return card.proofs if row and card and card.finding.id == row["finding"] else ()


def harm(row: Mapping[str, Any]) -> tuple[bool, int]:
    """Sorts what happened before what will happen, and what is lost first."""
    kind = row["kind"]
    return row["when"] != "already", HARM.index(kind) if kind in HARM else len(HARM)


def parts_of(victims: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """By id of a victim: how many entities of each type belong to it."""
    parts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in victims:
        for owner in owners(row["entity_id"]):
            parts[owner][row["entity_type"]] += 1
    return parts


def consequence(page: Page, row: Mapping[str, Any], finding: ReportFinding, replica: PartitionReplica) -> str:
    """What happens, of a partition in numbers: `74 records hidden behind offset 60`. A part of the records counts nothing."""
    if row["entity_type"] != "partition" or row["when"] != "already":
        return by_check(finding) or happens(row)
    if row.get("whom") in WITHOUT_LEADER:
        return WITHOUT_LEADER[row["whom"]]
    if finding.first_offset is not None and is_stop(row):
        if page.source.is_narrowed:
            behind = page.source.behind.get(finding.id)
        else:
            behind = behind_of(PartitionTables(page.results, replica, page.survey), row, finding)
        return stopped(row, finding.first_offset, finding.last_offset, behind)
    return partition_effect(finding) or OF_PARTITION.get(row["kind"], happens(row))


def behind_of(partition: PartitionResults, row: Mapping[str, Any], finding: ReportFinding) -> int | None:
    """Behind a stop: the number of hidden records, or the offset from which the log can be read again."""
    first = finding.first_offset or 0
    if row["kind"] == UNREADABLE:
        return readable_after(partition, max(first, finding.last_offset or first))
    return hidden_behind(partition, first)


def _urls(page: Page, replica: PartitionReplica, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """By id: pages of the victims that the state contains."""
    types = types_of(page.results.of(replica), sorted({row["entity_id"] for row in rows}))
    meant = {
        row["entity_id"]: meant_type(row["entity_type"], types.get(row["entity_id"], [])) for row in rows
    }
    return {
        name: page.url_of_replica(replica, "report-entity", type=entity_type, id=name)
        for name, entity_type in meant.items()
        if entity_type
    }
