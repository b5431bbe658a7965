"""Which versions wrote a journal, as far as the forms of its records tell."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

# The oldest version that writes entries of a type; newest first.
_SINCE = (
    ("2.5.9", ("ContentV2", "Upgrader")),
    ("2.4.3", ("Comment", "CommentId")),
    ("2.3.0", ("ArtifactOwner",)),
    ("2.2.2", ("ConfigProperty",)),
    ("2.1.2", ("Download",)),
)
_ACTION_FORM = re.compile(r'"action":("?)([A-Za-z0-9_]+)')


def family(entries: pa.Table) -> str | None:
    """The version family in words; None if the entries do not show it."""
    kinds = set(entries.column("entry_type").unique().to_pylist())
    since = next((version for version, types in _SINCE if kinds & set(types)), None)
    if since:
        stopped = " (begun by an older one)" if since == "2.5.9" and "Bootstrap" in kinds else ""
        return f"Apicurio Registry {since} or later{stopped}"
    form = action_form(entries)
    return f"Apicurio Registry {form}" if form else None


def action_form(entries: pa.Table) -> str | None:
    """The versions that spell actions like the last one in these entries."""
    with_action = entries.filter(pc.match_substring(entries.column("attributes"), '"action":'))
    if not with_action.num_rows:
        return None
    form = _ACTION_FORM.search(with_action.column("attributes")[with_action.num_rows - 1].as_py())
    if form is None or form[2].isdigit():
        return "2.1.4 or later"
    return "2.1.0 to 2.1.3" if form[2].isupper() else "2.0.x"
