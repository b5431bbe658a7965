"""The filter of the queue as chips: each says one condition and leads to the queue without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse

from webapp.review.filters import Filter
from webapp.review.states import FindingState, Presence

PRESENCE_WORDS = {**dict(Presence.choices), "not_mended": "resolved but still present"}
DUE_WORDS = {"overdue": "overdue", "week": "within 7 days"}
SAMPLES_WORDS = {"": "hidden", "shown": "shown", "only": "only"}


@dataclass(frozen=True)
class FilterChip:
    """`without`: address of the queue without this condition; `is_usual`: the queue has it unless it is taken away."""

    text: str
    without: str
    is_usual: bool = False


def chips_of(chosen: Filter, projects: Sequence[Any], journal: Any) -> list[FilterChip]:
    """In the order of the filter's menu."""
    names = {project.slug: project.name for project in projects}
    words = {
        "severity": chosen.severity.replace(",", ", "),
        "project": names.get(chosen.project, chosen.project),
        "journal": journal.name if journal else "unknown",
        "detector": chosen.detector,
        "assignee": chosen.assignee,
        "due": DUE_WORDS.get(chosen.due, ""),
        "presence": PRESENCE_WORDS.get(chosen.presence, ""),
        "kind": "all",
    }
    labels = {"kind": "Findings"}
    state = str(FindingState(chosen.state).label) if chosen.state in FindingState.values else chosen.state
    without_state = address_of(replace(chosen, state="any"))
    chips = [] if state == "any" else [FilterChip(f"State: {state}", without_state, state == "open")]
    chips += [
        FilterChip(
            f"{labels.get(name, name.capitalize())}: {text}", address_of(replace(chosen, **{name: ""}))
        )
        for name, text in words.items()
        if getattr(chosen, name)
    ]
    if not chosen.journal and chosen.samples != "shown":
        without = replace(chosen, samples="" if chosen.samples else "shown")
        words_of_samples = SAMPLES_WORDS[chosen.samples]
        chips.append(FilterChip(f"Samples: {words_of_samples}", address_of(without), not chosen.samples))
    return chips


def address_of(chosen: Filter) -> str:
    return reverse("review") + (f"?{chosen.query}" if chosen.query else "")
