"""Captured: what a capture requested, received and noticed, in sentences: the member `coverage.capture` of the report."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from spark.log.gaps import ENDED_BY
from spark.tables import Manifest
from spark.tables.store import ResultTables
from spark.terms.wording import moment, offset_range, plural, some

Row = dict[str, Any]
MAX_PARTITIONS = 20  # that a report spells out one by one
MAX_EVENTS = 20
CAPTURES = "FROM captures ORDER BY captured_at_ms, file, topic, partition, replica"


def captured(manifest: Manifest) -> list[str]:
    """The sentences; none where nothing was captured."""
    return sentences(ResultTables.open(manifest)) if manifest.rows.get("captures") else []


def sentences(tables: ResultTables) -> list[str]:
    """The same over open tables, manifest by manifest."""
    rows = tables.rows(CAPTURES)
    return [
        line
        for _, group in groupby(rows, key=lambda row: row["file"])
        for line in manifest_sentences(list(group))
    ]


def manifest_sentences(rows: list[Row]) -> list[str]:
    first = rows[0]
    head = (
        f"Captured from {first['cluster'] or 'a cluster'} by {first['captured_by'] or 'an unknown user'} at "
        f"{moment(first['captured_at_ms'])}: {plural(len(rows), 'partition')} of {first['topic']}."
    )
    partial = [row for row in rows if is_partial(row)]
    whole = [name(row) for row in rows if not is_partial(row)]
    lines = [head, *(partly(row) for row in partial[:MAX_PARTITIONS])]
    if len(partial) > MAX_PARTITIONS:
        others = len(partial) - MAX_PARTITIONS
        lines.append(f"{plural(others, 'more partition')} {'is' if others == 1 else 'are'} incomplete.")
    if whole:
        lines.append(f"Captured completely: {some(whole)}.")
    return [
        *lines,
        *converted(rows),
        *events(rows),
        *(f"Not requested: {why}" for why in first["not_asked"] or []),
    ]


def name(row: Row) -> str:
    """`<topic>-<partition>`, and the copy where there are several."""
    return f"{row['topic']}-{row['partition']}" + (f" ({row['replica']})" if row["replica"] else "")


def is_partial(row: Row) -> bool:
    """Whether the broker had more than was got."""
    return (
        row["stopped_by"] is not None
        or (row["asked_first_offset"] or 0) > (row["log_start_offset"] or 0)
        or (row["asked_end_offset"] or 0) < (row["high_watermark"] or 0)
    )


def partly(row: Row) -> str:
    """Requested, captured and available offsets of a partition, and why the capture ended early."""
    requested = f"{name(row)}: requested {span(row['asked_first_offset'], row['asked_end_offset'])}"
    got = "no records" if row["first_offset"] is None else span(row["first_offset"], row["next_offset"])
    had = span(row["log_start_offset"], row["high_watermark"])
    why = (
        f". The capture ended early: {ENDED_BY.get(row['stopped_by'], row['stopped_by'])}"
        if row["stopped_by"]
        else ""
    )
    return f"{requested}, captured {got}. The broker had {had}{why}."


def span(first: int | None, end: int | None) -> str:
    """`offsets 0-9`; the end is the next offset."""
    if first is None or end is None:
        return "unknown offsets"
    return offset_range(first, end - 1) if end > first else f"no offset from {first}"


def converted(rows: Iterable[Row]) -> list[str]:
    """Whose format on disk is unknown."""
    names = [name(row) for row in rows if row["is_converted"]]
    if not names:
        return []
    return [
        f"The broker converted batches of {some(names)} to an older message format. The message format on its disk is unknown."
    ]


def events(rows: Iterable[Row]) -> list[str]:
    """What happened during the capture."""
    lines = [f"{name(row)}: {event}" for row in rows for event in row["events"] or []]
    others = len(lines) - MAX_EVENTS
    return [*lines[:MAX_EVENTS], *([f"{plural(others, 'more event')}."] if others > 0 else [])]
