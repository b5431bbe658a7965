"""The calm verdict: what may be claimed where nothing above `low` was found, decided here and nowhere else.

`Healthy.` where every offset between a known start and a known end is there, or its absence is explained, and nothing in a
partition's folder was set aside, and no check failed; else `No fault found.` with what is not known. Partitions without a record are
named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from spark.sources import LACKS
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, plural, some
from spark.terms.verdict_word import HEALTHY, NO_FAULT

FILES_NAMED = 3
Bounds = Mapping[str, Any]


class Absent(NamedTuple):
    """Missing offsets: those whose cause is proven, the others, and of these what compaction likely removed."""

    known: int = 0
    unknown: int = 0
    likely: int = 0


class JournalCoverage(NamedTuple):
    """The coverage of a journal, or of all. `bounds`: `log_bounds_per_partition` of its partitions; `set_aside`: names of files in
    their folders that were not read; `left_out`: partitions with records of which the input has nothing; `has_offsets`: some records have;
    `numbered`: partitions beside these whose records have none; `failed`: checks that stopped before their answer."""

    records: int
    coverage: Mapping[str, Any]
    absent: Absent = Absent()
    bounds: Sequence[Bounds] = ()
    set_aside: Sequence[str] = ()
    left_out: int = 0
    has_offsets: bool = True
    numbered: int = 0
    failed: int = 0


def calm(checked: JournalCoverage, roots: Sequence[Finding]) -> str:
    """`Healthy. 4,812 records, no missing offsets. 2 notes.`, or `No fault found.` with what could not be checked."""
    if LACKS["key"] in checked.coverage.get("cannot_tell", ()):
        return not_checked(checked, roots)
    doubts = unknown(checked)
    between = " between those with offsets" if checked.numbered else " between them" if doubts else ""
    is_complete = not doubts and not checked.absent.unknown and checked.has_offsets
    clauses = [
        f"{plural(checked.records, 'record')}{offsets(checked, between)}",
        *empty(checked.bounds),
        *doubts,
    ]
    cause = f" {cause_unknown(checked)}" if checked.absent.unknown else ""
    reservations = "".join(f" {line}" for line in dict.fromkeys(root.reservation for root in roots) if line)
    return f"{HEALTHY if is_complete else NO_FAULT}. {'; '.join(clauses)}.{cause}{notes(roots)}{reservations}"


def numbered_partitions(coverage: Mapping[str, Any]) -> set[str]:
    """Names of partitions of whose records no file has the offsets."""
    counts = coverage.get("records_per_partition", {})
    with_offsets = coverage.get("offsets_per_partition", counts)
    return {name for name, count in counts.items() if count and name not in with_offsets}


def calm_without_records(checked: JournalCoverage) -> str | None:
    """The same where there is no record: every partition is known to be empty, or None."""
    counts = {
        name: sum(bounds["holds"] == name for bounds in checked.bounds) for name in ("never-written", "empty")
    }
    if not checked.bounds or sum(counts.values()) < len(checked.bounds) or checked.set_aside:
        return None
    count, (are_empty,) = len(checked.bounds), empty(checked.bounds)
    if checked.left_out:
        return f"{NO_FAULT}. {'; '.join([are_empty, *left_out(checked.left_out)])}."
    if counts["empty"]:
        return f"{NO_FAULT}. {are_empty}: {'its log ends where it starts' if count == 1 else 'their logs end where they start'}."
    return f"{HEALTHY}. {are_empty}: no record was ever written to {'it' if count == 1 else 'them'}."


def offsets(checked: JournalCoverage, between: str) -> str:
    """The clause on missing offsets."""
    if not checked.has_offsets:
        return "; missing offsets unknown: the dump contains no offsets"
    if checked.absent.unknown:
        return f", {plural(checked.absent.unknown, 'absent offset')}"
    if checked.absent.known:
        return f"; {plural(checked.absent.known, 'absent offset')}, cause known"
    return f", no missing offsets{between}"


def unknown(checked: JournalCoverage) -> list[str]:
    """The reasons, in clauses, why the verdict is not `Healthy`; `offsets` has the one about missing offsets of unknown cause."""
    logs = [bounds for bounds in checked.bounds if bounds["holds"] == "records"]
    has_offsets = checked.has_offsets
    doubts = [*unknown_bounds(logs), *lacking(logs)] if has_offsets else []
    if checked.numbered:
        count = plural(
            checked.numbered,
            "partition unknown: its dump contains",
            "partitions unknown: their dumps contain",
        )
        doubts.append(f"missing offsets of {count} no offsets")
    silent = sum(bounds["holds"] in ("unknown", "missing") for bounds in checked.bounds)
    if silent:
        doubts.append(f"whether {plural(silent, 'empty partition')} had records is unknown")
    if lines := checked.coverage.get("unread_lines"):
        doubts.append(f"{plural(lines, 'line')} of a record could not be read")
    return [*doubts, *left_out(checked.left_out), *set_aside(checked.set_aside), *failed(checked.failed)]


def unknown_bounds(logs: Sequence[Bounds]) -> list[str]:
    """`the end of the log is not known`."""
    counts = {name: sum(not bounds[f"is_{name}_known"] for bounds in logs) for name in ("start", "end")}
    names = [name for name, count in counts.items() if count]
    if not names:
        return []
    if len(logs) == 1:
        verb = "is" if len(names) == 1 else "are"
        return [f"{' and '.join(f'the {name}' for name in names)} of the log {verb} unknown"]
    return [f"the {name} of {plural(counts[name], 'log')} is unknown" for name in names]


def lacking(logs: Sequence[Bounds]) -> list[str]:
    """Offsets at the end that a running broker had and the copy has not."""
    count = sum(bounds["lacking"] for bounds in logs)
    return [f"the last {plural(count, 'offset is', 'offsets are')} not in the input"] if count else []


def left_out(count: int) -> list[str]:
    """Partitions with records, of topics in the input, of which the input has nothing; `has_offsets`: some records have;
    `numbered`: partitions beside these whose records have none."""
    return (
        [f"{plural(count, 'partition with records is', 'partitions with records are')} not in the input"]
        if count
        else []
    )


def set_aside(names: Sequence[str]) -> list[str]:
    """Files in partitions' folders that were not read."""
    if not names:
        return []
    files = some([marked.file("/".join(PurePosixPath(name).parts[-2:])) for name in names], FILES_NAMED)
    return [f"not read: {files}"]


def failed(count: int) -> list[str]:
    """Checks of which no answer came: detectors and rules."""
    return [plural(count, "check failed", "checks failed")] if count else []


def sentence_of_failed(checked: JournalCoverage) -> str:
    """` 2 checks failed.`, behind a sentence; empty for none."""
    return "".join(f" {clause}." for clause in failed(checked.failed))


def empty(bounds: Sequence[Bounds]) -> list[str]:
    count = sum(partition["holds"] in ("never-written", "empty") for partition in bounds)
    return [f"{plural(count, 'partition is', 'partitions are')} empty"] if count else []


def notes(roots: Sequence[Finding]) -> str:
    """` 1 low finding and 2 notes.`: as many as the report lists; empty for none."""
    counts = Counter[str](finding.severity for finding in roots)
    named = {"low": "low finding", "info": "note"}
    counted = [plural(counts[severity], noun) for severity, noun in named.items() if counts[severity]]
    return f" {listed(counted)}." if counted else ""


def cause_unknown(checked: JournalCoverage) -> str:
    """Possible causes of missing offsets, and how to find the cause."""
    has_segments, likely = checked.coverage.get("has_segments"), checked.absent.likely
    others = "loss" if has_segments else "transactions or loss"
    find_out = (
        "Compare this replica with another replica."
        if has_segments
        else "To find out, inspect the log segments."
    )
    if likely == checked.absent.unknown:
        return (
            f"Likely cause: compaction. The input does not prove it and does not exclude {others}. {find_out}"
        )
    first = f"compaction (likely for {likely:,} of them)" if likely else "compaction"
    if has_segments:
        return f"Cause: {first} or loss. {find_out}"
    return f"Cause: {first}, transactions or loss. The dump does not prove which. {find_out}"


def not_checked(checked: JournalCoverage, roots: Sequence[Finding]) -> str:
    """For values alone: whether they are healthy is unknown."""
    has_offsets = checked.has_offsets
    lacks = "no keys" if has_offsets else "no keys and no offsets"
    checks = f"{'' if has_offsets else 'missing records, '}deleted or superseded records, compaction"
    return f"{NO_FAULT}. {plural(checked.records, 'value')}. The input contains {lacks}, so these checks could not run: {checks}.{sentence_of_failed(checked)}{notes(roots)}"
