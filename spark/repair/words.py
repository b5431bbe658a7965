"""What a repair came to, in words for the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from spark.repair.result import APPEND, Repaired, Way
from spark.wording import listed, plural, some

NOTHING = "There is nothing to mend: no entity of these journals lacks a content that can be brought back."
NAMES = {APPEND: "Append to the topic", "copy": "A mended copy in a fresh topic"}


def as_text(found: Sequence[Repaired], out: Path) -> str:
    """The whole answer."""
    if not found:
        return NOTHING
    return "\n\n".join("\n".join(partition_lines(one, out)) for one in found)


def sentence(one: Repaired) -> str:
    """The answer first."""
    missing = some([gone.entity for gone in one.plan.missing])
    if not one.ways:
        return f"Nothing can be mended yet: {missing} is still wanted."
    if one.recommended is None:
        return f"Neither way brings everything back: {some(one.ways[0].lacks)}."
    mended = f"{plural(len(one.plan.mended), 'artifact version')} can be brought back or kept"
    return f"{mended}; {missing} is still wanted." if missing else f"{mended}."


def partition_lines(one: Repaired, out: Path) -> Iterable[str]:
    """One partition."""
    yield f"{one.topic}-{one.partition}: {sentence(one)}"
    if one.plan.mended:
        yield f"  Versions: {listed(one.plan.mended)}."
    for gone in one.plan.missing:
        yield f"  Wanted for {some(gone.needed_by)}: {gone.entity}, {gone.wanted}."
    for way in one.ways:
        yield ""
        yield from way_lines(way, one.recommended is way, out)


def way_lines(way: Way, is_recommended: bool, out: Path) -> Iterable[str]:
    """One way, with what it adds and removes, what it was tried with, and its steps."""
    mark = " (recommended)" if is_recommended else "" if way.holds else " (does not hold)"
    yield f"{NAMES[way.id]}{mark}: {plural(way.records, 'record')} in {out / way.files[0]}"
    for record in way.added:
        yield f"  + {record.what}, from {record.source}"
    for offset, why in sorted(way.left_out.items()):
        yield f"  - offset {offset}: {why}"
    yield f"  Tried: {way.verdict['sentence']}"
    if way.lacks:
        yield f"  It lacks {some(way.lacks)}."
    yield from (f"  {number}. {step}" for number, step in enumerate(way.steps, start=1))
