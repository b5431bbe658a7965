"""A comparison for a ticket: what was lost between two dumps, the sides, the entities that differ, link; in each markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType

from spark.terms.wording import moment, plural
from webapp.reports.comparison.entities import EntityGroup, EntityRow
from webapp.reports.comparison.partition import ComparedPartition
from webapp.reports.comparison.sides import ComparedSide
from webapp.reports.ticket import MARKUPS, TicketText

ENTITIES_IN_TICKET = 20  # of one consequence
PARTITIONS_IN_TICKET = 20
COUNTED_ONLY = {"new", "deleted"}  # consequences that are no harm: their number is enough


def comparison_texts(headline: str, partitions: Sequence[ComparedPartition], link: str) -> list[TicketText]:
    """The comparison in every markup."""
    return [
        TicketText(name, title, comparison_text(headline, partitions, link, markup))
        for name, title, markup in MARKUPS
    ]


def comparison_text(
    headline: str, partitions: Sequence[ComparedPartition], link: str, markup: ModuleType
) -> str:
    """What "Copy for ticket" copies."""
    parts = [markup.strong(markup.text(headline))]
    for partition in partitions[:PARTITIONS_IN_TICKET]:
        parts += _partition(partition, len(partitions) > 1, markup)
    if (left_out := len(partitions) - PARTITIONS_IN_TICKET) > 0:
        parts.append(f"… and {plural(left_out, 'more partition', 'more partitions')}.")
    parts.append(f"Comparison: {link}")
    return "\n\n".join(parts) + "\n"


def _partition(partition: ComparedPartition, is_named: bool, markup: ModuleType) -> Iterator[str]:
    if is_named:
        name = markup.code(f"{partition.entry['topic']}-{partition.entry['partition']}")
        yield f"{name}: {markup.text(partition.headline)}"
    sides = zip(partition.pair.in_order, partition.at, strict=True)
    yield "\n".join(markup.item(_side(side, at, markup)) for side, at in sides)
    if partition.record_sentence != partition.headline:
        yield markup.text(partition.record_sentence)
    for group in partition.groups:
        yield _group(group, markup)


def _side(side: ComparedSide, at: int, markup: ModuleType) -> str:
    """Which dump it is: by its records, since names repeat."""
    journal, summary = side.inspection.journal, side.inspection.summary
    first, last = summary.get("first_timestamp_ms"), summary.get("last_timestamp_ms")
    records = f"records {moment(first)} – {moment(last)}" if first is not None else "records without times"
    ticket = f" ({markup.text(journal.ticket)})" if journal.ticket else ""
    return (
        f"{markup.text(side.name)}: {markup.text(journal.name)}{ticket}, {records}, state as of offset {at}"
    )


def _group(group: EntityGroup, markup: ModuleType) -> str:
    heading = markup.strong(f"{group.title}: {plural(group.count, 'entity', 'entities')}")
    if group.kind in COUNTED_ONLY:
        return heading
    rows = group.rows[:ENTITIES_IN_TICKET]
    lines = [heading, "", *(markup.item(_entity(row, markup)) for row in rows)]
    if (left_out := group.count - len(rows)) > 0:
        lines.append(markup.item(f"… and {left_out:,} more"))
    return "\n".join(lines)


def _entity(row: EntityRow, markup: ModuleType) -> str:
    name = f"{markup.text(row.type_words.capitalize())} {markup.code(row.entity_id or '(all)')}"
    before, after = (
        f"{words}: {_has(text, offset, markup)}"
        for words, text, offset in (
            ("before", row.before, row.before_offset),
            ("after", row.after, row.after_offset),
        )
    )
    why = f". {markup.text(row.reason.text)}" if row.reason else ""
    return f"{name}: {before}; {after}{why}"


def _has(text: str, offset: int | None, markup: ModuleType) -> str:
    at = "" if offset is None else f" (offset {offset})"
    return f"{markup.text(text)}{at}"
