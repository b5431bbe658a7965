"""Which version wrote a journal, as far as its message classes tell."""

from __future__ import annotations

import pyarrow as pa

from spark.dialects.apicurio_v3.message_classes import BOOTSTRAP, EVENT, SINCE, SNAPSHOT


def family(entries: pa.Table) -> str | None:
    """The version family in words; None when the entries do not tell."""
    kinds = set(entries.column("entry_type").unique().to_pylist())
    since = next((version for version, classes in SINCE if kinds & classes), None)
    if since is not None:
        return f"Apicurio Registry {since} or later"
    if SNAPSHOT in kinds:
        return "Apicurio Registry 3.x (its snapshots)"
    if EVENT in kinds:
        return "Apicurio Registry 3.x (its events)"
    return "Apicurio Registry 3.x" if BOOTSTRAP in kinds else None
