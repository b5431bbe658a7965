"""Damage of an input as a clause: the same count in terminal, pages, tickets and bundles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spark.terms.wording import grouped, plural


def damage(coverage: Mapping[str, Any]) -> str:
    """`1 batch fails its checksum, 40 bytes are unreadable`, or `no damage`. `coverage`: of report.json."""
    batches, unreadable = coverage.get("corrupt_batches") or 0, coverage.get("unreadable_bytes") or 0
    clauses = []
    if batches:
        fail = "fails its checksum" if batches == 1 else "fail their checksums"
        clauses.append(f"{plural(batches, 'batch', 'batches')} {fail}")
    if unreadable:
        clauses.append(f"{plural(unreadable, 'byte')} {'is' if unreadable == 1 else 'are'} unreadable")
    return ", ".join(clauses) or "no damage"


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
    counts = list(copies)
    numbers = ("records", "corrupt_batches", "unreadable_bytes")
    return {"is_log": all(each["is_log"] for each in counts)} | {
        name: sum(each[name] for each in counts) for name in numbers
    }


def records_in_copies(coverage: Mapping[str, Any], noun: str = " records") -> str:
    """`296 to 305 records in 14 replicas`; without copies the records of the input."""
    copies = copies_of(coverage)
    if not copies:
        return plural(coverage.get("records", 0), "record")
    of = (
        plural(len(copies), "replica")
        if all(copy["is_log"] for copy in copies.values())
        else f"{len(copies)} copies"
    )
    least, most = (choice(copy["records"] for copy in copies.values()) for choice in (min, max))
    if least == most:
        return f"{plural(most, 'record') if noun else grouped(most)} in each of {of}"
    return f"{grouped(least)} to {grouped(most)}{noun} in {of}"


def records_and_damage(coverage: Mapping[str, Any], replica: str | None, partition: str = "") -> str:
    """`3 records; no damage`; with copies those of the one that the incident is about. `partition`: its name in `coverage`."""
    of_partition = (coverage.get("copies_per_partition") or {}).get(partition)
    copies = of_partition or copies_of(coverage)
    copy = copies.get(replica or "")
    if copy is None:
        return f"{records_in_copies(coverage)}; {damage(coverage)}"
    noun = "replica" if copy["is_log"] else "copy"
    records = f"{plural(copy['records'], 'record')} in the incident's {noun} (1 of {len(copies)})"
    of = " of its partition" if of_partition and len(coverage.get("records_per_partition") or {}) > 1 else ""
    return f"{records}{of}; {damage(copy)}"
