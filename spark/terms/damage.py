"""Damage of an input as a clause: the same count in terminal, pages, tickets and bundles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.terms.wording import plural


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
