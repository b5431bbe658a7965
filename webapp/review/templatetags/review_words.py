"""States and due dates in words, and a finding's state on a report's card."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from spark.terms.marked import noun_of_replica
from spark.terms.wording import some
from webapp.review.states import Presence
from webapp.time_element import time_element

if TYPE_CHECKING:
    from webapp.review.models import Finding

register = template.Library()

DAY_SECONDS = 24 * 3600
PARTITIONS_NAMED = 3
PRESENCE_SHOWN = {Presence.GONE: "no longer present", Presence.BACK: "present again"}


@register.filter
def due_words(moment: datetime | None) -> SafeString | str:
    """`overdue by 2 d`, `today`, `in 3 d`; the exact time in the tooltip."""
    if moment is None:
        return "–"
    seconds = (moment - timezone.now()).total_seconds()
    if seconds < 0:
        late = int(-seconds // DAY_SECONDS)
        text = f"overdue by {late} d" if late else "overdue"
    else:
        days = int(seconds // DAY_SECONDS)
        text = f"in {days} d" if days else f"in {int(seconds // 3600)} h"
    return time_element(moment, text)


@register.filter
def incident_title(members: int, finding: Any) -> str:
    """The title of a row: the incident's where several of its findings are meant."""
    return finding.incident_title if members > 1 else finding.title


@register.filter
def partition_names(findings: Iterable[Finding]) -> str:
    """Of the findings of an incident, each partition once: `payments-0, payments-1 and 4 more`."""
    names = {(finding.topic, finding.partition): finding.partition_name for finding in findings}
    in_order = sorted(names, key=lambda name: (name[0], -1 if name[1] is None else name[1]))
    return some([names[name] for name in in_order], PARTITIONS_NAMED)


@register.filter
def shared_replica(findings: Iterable[Finding]) -> str:
    """The replica that all findings of an incident are about; empty where there are several."""
    replicas = {finding.replica for finding in findings}
    return replicas.pop() if len(replicas) == 1 else ""


@register.filter
def without_replica(title: str, finding: Any) -> str:
    """A title that begins with what happens: without the copy that it names, which stands beside the partition."""
    if not finding.replica:
        return title
    return title.replace(f" ({noun_of_replica(finding.replica)} {finding.replica})", "", 1)


@register.filter
def presence_words(presence: str) -> str:
    """Empty for the expected presence."""
    return PRESENCE_SHOWN.get(presence, "")  # type: ignore[call-overload]


@register.filter
def on_day(moment: Any) -> str:
    """ISO date for a date field."""
    return f"{moment:%Y-%m-%d}" if moment else ""


@register.inclusion_tag("review/badge.html", takes_context=True)
def review_badge(context: dict[str, Any], fingerprint: str) -> dict[str, Any]:
    """The state alone, where a finding is told in one line."""
    return {"finding": (context.get("reviews") or {}).get(fingerprint)}


@register.inclusion_tag("review/on_card.html", takes_context=True)
def review_of(context: dict[str, Any], fingerprint: str) -> dict[str, Any]:
    """The review state of a finding on a report's card; nothing where the page knows of no review."""
    return _on_card(context, (context.get("reviews") or {}).get(fingerprint))


@register.inclusion_tag("review/on_card.html", takes_context=True)
def review_of_incident(context: dict[str, Any], incident: Any) -> dict[str, Any]:
    """The state of an incident's findings; a decision here is one about all that have the state of the first."""
    reviews = context.get("reviews") or {}
    names = [finding.id for finding in (*(card.finding for card in incident.cards), *incident.more)]
    rows = [reviews[name] for name in names if name in reviews]
    if not rows:
        return _on_card(context, None)
    alike = [row for row in rows if row.state == rows[0].state]
    first = copy(rows[0])
    first.twins = [row.pk for row in alike if row.pk != first.pk]
    return {**_on_card(context, first), "findings": len(alike)}


def _on_card(context: dict[str, Any], review: Any) -> dict[str, Any]:
    reviews = context.get("reviews") or {}
    return {
        "review": review,
        "inspection_id": context["page"].inspection.pk if reviews else None,
        "can_judge": context.get("can_judge", False),
        "actions": context.get("review_actions"),
        "seen_at": context.get("seen_at"),
    }
