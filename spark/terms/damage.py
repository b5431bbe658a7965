"""What was read of an input, and its damage, as clauses: the same count in terminal, pages, tickets and bundles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from spark.terms.wording import grouped, plural

OUTPUT, NO_RECORDS = (
    "the output of ",
    " contains no records",
)  # around the names of tools in `coverage.printed`
LINES = re.compile(r" \(lines? [\d-]+\)$")  # of several prints in one file


def damage(coverage: Mapping[str, Any], noun: str = "") -> str:
    """`1 batch fails its checksum, 40 bytes are unreadable`, or `all checksums match`, where all are known. `coverage`: of report.json, or
    of one copy, which is a `noun`."""
    batches, unreadable = coverage.get("corrupt_batches") or 0, coverage.get("unreadable_bytes") or 0
    clauses = []
    if batches:
        fail = "fails its checksum" if batches == 1 else "fail their checksums"
        clauses.append(f"{plural(batches, 'batch', 'batches')} {fail}")
    if unreadable:
        clauses.append(f"{plural(unreadable, 'byte')} {'is' if unreadable == 1 else 'are'} unreadable")
    if lines := coverage.get("unread_lines"):
        clauses.append(f"{plural(lines, 'line')} of a record could not be read")
    return ", ".join(clauses) or _checked(coverage, f" of this {noun}" if noun else "")


def intact(coverage: Mapping[str, Any], topic: str, partition: int, replica: str) -> str:
    """What is known of the checksums of a copy of a partition without damage; of an older report, what its formats tell."""
    name = f"{topic}-{partition}"
    layouts = {key: coverage[key] for key in ("has_checksums", "has_segments") if key in coverage}
    counts = (coverage.get("copies_per_partition") or {}).get(name, {}).get(replica)
    counts = counts or (coverage.get("checked_batches_per_partition") or {}).get(name)
    is_counted = "checked_batches_per_partition" in coverage or "known_checksums" in coverage
    own = counts or ({"known_checksums": 0} if is_counted else {})
    return _checked(layouts | _layout(own) | own, "")


def _layout(copy: Mapping[str, Any]) -> dict[str, Any]:
    """Of a copy whether it is a log, as `coverage` says it of the input."""
    return {"has_segments": copy["is_log"]} if "is_log" in copy else {}


def _checked(coverage: Mapping[str, Any], of: str) -> str:
    """Of an input without damage. Reports of before did not count the checksums that are known."""
    if not coverage.get("has_checksums", True):
        return "no unreadable lines, no checksums in this format"
    checked, batches = coverage.get("known_checksums"), coverage.get("batches")
    if checked is None or (checked and checked == batches):
        return f"all checksums{of} match"
    if not checked:
        return f"no unreadable {'bytes' if coverage.get('has_segments') else 'lines'}"
    checksums = (
        f"{grouped(checked)} of {plural(batches, 'checksum')}" if batches else plural(checked, "checksum")
    )
    return f"{checksums}{of} known, {'it matches' if checked == 1 else 'all match'}"


def copies_of(coverage: Mapping[str, Any]) -> Mapping[str, dict[str, Any]]:
    """By replica the counts of each copy, of all partitions together, where the input is the same partitions several times; else
    empty."""
    copies = coverage.get("copies_per_partition") or {}
    partitions = coverage.get("records_per_partition") or {}
    replicas = {frozenset(of_partition) for of_partition in copies.values()}
    if len(replicas) != 1 or copies.keys() != partitions.keys():
        return {}
    return {
        replica: _sum(of_partition[replica] for of_partition in copies.values())
        for replica in next(iter(copies.values()))
    }


def _sum(copies: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts of several copies together; one that a copy does not know (None) is not known of all."""
    counts = list(copies)
    checked = [name for name in ("batches", "known_checksums") if all(name in each for each in counts)]
    summed: dict[str, Any] = {"is_log": all(each["is_log"] for each in counts)}
    for name in ("records", "corrupt_batches", "unreadable_bytes", *checked):
        of_each = [each[name] for each in counts]
        summed[name] = None if None in of_each else sum(of_each)
    return summed


def is_output(coverage: Mapping[str, Any]) -> bool:
    """Whether the input is output of tools without a record."""
    return bool(coverage.get("printed")) and not coverage.get("records")


def output_title(coverage: Mapping[str, Any]) -> str:
    """`Output of kafka-topics --describe`, of an input that is output of such tools alone; else empty."""
    title = str(coverage.get("printed") or "").removesuffix(NO_RECORDS)
    return f"O{title.removeprefix('the o')}" if title.startswith(OUTPUT) and is_output(coverage) else ""


def records_in_copies(coverage: Mapping[str, Any], noun: str = " records") -> str:
    """`296 to 305 records in 14 replicas`; without copies the records of the input; of outputs that contain none, that they do not."""
    if copies := copies_of(coverage):
        return _in_each(copies, noun)
    if is_output(coverage):
        return str(coverage["printed"])
    once = " (one copy of each partition)" if coverage.get("copies_per_partition") else ""
    return f"{plural(coverage.get('records', 0), 'record')}{once}"


def records_of(coverage: Mapping[str, Any], partition: str) -> str:
    """The same of one partition by its name in `coverage`."""
    copies = (coverage.get("copies_per_partition") or {}).get(partition)
    return _in_each(copies) if copies else plural(coverage["records_per_partition"][partition], "record")


def _in_each(copies: Mapping[str, Mapping[str, Any]], noun: str = " records") -> str:
    of = (
        plural(len(copies), "replica")
        if all(copy["is_log"] for copy in copies.values())
        else f"{len(copies)} copies"
    )
    least, most = (choice(copy["records"] for copy in copies.values()) for choice in (min, max))
    if least == most:
        return f"{plural(most, 'record') if noun else grouped(most)} in each of {of}"
    return f"{grouped(least)} to {grouped(most)}{noun} in {of}"


def what_was_read(report: Mapping[str, Any]) -> str:
    """`16 records from 2 files`: of the files that contain records."""
    files = {LINES.sub("", file["name"]) for file in report["files"] if file["kind"] in ("segment", "export")}
    records = records_in_copies(report["coverage"])
    return f"{records} from {plural(len(files), 'file')}" if files else records


def records_and_damage(coverage: Mapping[str, Any], replica: str | None, partition: str = "") -> str:
    """`3 records; all checksums match`; with copies those of the one that the incident is about. `partition`: its name in `coverage`."""
    of_partition = (coverage.get("copies_per_partition") or {}).get(partition)
    copies = of_partition or copies_of(coverage)
    copy = copies.get(replica or "")
    if copy is None:
        records = records_in_copies(coverage)
        return records if is_output(coverage) else f"{records}; {damage(coverage)}"
    noun = "replica" if copy["is_log"] else "copy"
    records = f"{plural(copy['records'], 'record')} in the incident's {noun} (one of {len(copies)})"
    of = " of its partition" if of_partition and len(coverage.get("records_per_partition") or {}) > 1 else ""
    layout = {"has_checksums": coverage.get("has_checksums", True), **_layout(copy)}
    return f"{records}{of}; {damage({**layout, **copy}, noun)}"
