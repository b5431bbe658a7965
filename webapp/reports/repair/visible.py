"""The result of a repair as one user may see it: without names and addresses of dumps that they cannot open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webapp.accounts.roles import projects_for_user
from webapp.journals.access import finished_inspections, journals_for_user
from webapp.journals.models import Inspection, Repair

HIDDEN = "an older dump that you cannot open"


def visible_result(user: Any, repair: Repair) -> dict[str, Any]:
    """The result without names and addresses of dumps that the user may not see."""
    document: dict[str, Any] = repair.result or {}
    ours, *others = document.get("inputs", []) or [None]
    hidden = [dump for dump in others if not is_visible(user, dump)]
    if not hidden:
        return document
    unchanged = {dump["name"]: dump["name"] for dump in others if dump not in hidden}
    masked = without_names({dump["name"]: HIDDEN for dump in hidden} | unchanged, document)
    return masked | {"inputs": [dump for dump in (ours, *others) if dump not in hidden]}


def is_visible(user: Any, source: Mapping[str, Any]) -> bool:
    """Whether the user may see a dump, or could before it was deleted."""
    inspections = Inspection.objects.filter(pk=source["inspection"])
    if inspections.exists():
        return inspections.filter(journal__in=journals_for_user(user)).exists()
    return projects_for_user(user).filter(pk__in=[source.get("project")]).exists()


def visible_dumps(user: Any, repair: Repair) -> tuple[list[Inspection], int]:
    """Selected dumps that the user may see, and the number of others."""
    selected = repair.older.select_related("journal")
    visible = list(selected.filter(pk__in=finished_inspections(user)))
    return visible, selected.count() - len(visible)


def without_names(names: Mapping[str, str], document: Any) -> Any:
    """Every text of a document with these names replaced, the longest first; a sentence may begin with a name."""
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile("|".join(re.escape(name) for name in longest_first), re.IGNORECASE)
    folded = {name.lower(): text for name, text in names.items()}

    def replaced(match: re.Match[str]) -> str:
        text = folded[match[0].lower()]
        if text != HIDDEN:
            return match[0]
        return text[:1].upper() + text[1:] if match[0][:1].isupper() else text

    def visit(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(replaced, value)
        if isinstance(value, list):
            return [visit(item) for item in value]
        return {key: visit(member) for key, member in value.items()} if isinstance(value, dict) else value

    return visit(document)
