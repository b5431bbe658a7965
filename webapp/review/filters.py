"""Filters of the queue: what stands in the page's address, and nothing else.

The same words choose rows for the page, for "all that match", for saved filters and for the API.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import CharField, Count, F, Q, Value, Window
from django.db.models.functions import Cast, Concat, RowNumber
from django.http import QueryDict
from django.utils import timezone

from webapp.journals.models import Journal
from webapp.review.access import findings_for_user
from webapp.review.models import FindingQuerySet
from webapp.review.states import DONE, OPEN, SEVERITIES, FindingState, Presence

STATES = ("open", "done", "any", *FindingState.values)
NOT_MENDED = "not_mended"
PRESENCES = (*Presence.values, NOT_MENDED)
KINDS = ("all",)  # consequences and notes, too
SAMPLES = ("shown", "only")  # findings of sample journals, which are hidden otherwise
DUE = ("overdue", "week")
SORTS = {
    "": (),
    "due": (F("due_at").asc(nulls_last=True),),
    "age": (F("first_seen_at").asc(),),
    "newest": (F("first_seen_at").desc(),),
}
WORST_FIRST = ("rank", F("due_at").asc(nulls_last=True), "first_seen_at", "position", "pk")
MAX_TEXT = 200


@dataclass(frozen=True)
class Filter:
    """What somebody wants to see. Empty members do not narrow; a state is always meant."""

    state: str = "open"
    severity: str = ""
    project: str = ""
    journal: str = ""
    detector: str = ""
    assignee: str = ""
    due: str = ""
    presence: str = ""
    kind: str = ""
    samples: str = ""
    q: str = ""
    sort: str = ""

    @classmethod
    def of(cls, query: QueryDict | dict[str, str]) -> Filter:
        """From the parameters of a request; invalid values are ignored."""
        chosen = {
            name: (query.get(name) or "").replace("\0", "").strip()[:MAX_TEXT]
            for name in cls.__dataclass_fields__
        }
        allowed = {
            "due": DUE,
            "presence": PRESENCES,
            "kind": KINDS,
            "samples": SAMPLES,
            "sort": SORTS,
        }
        for name, values in allowed.items():
            chosen[name] = chosen[name] if chosen[name] in values else ""
        severities = (
            ",".join(query.getlist("severity")) if isinstance(query, QueryDict) else chosen["severity"]
        )
        chosen["severity"] = ",".join(name for name in SEVERITIES if name in severities.split(","))
        chosen["state"] = chosen["state"] if chosen["state"] in STATES else "open"
        return cls(**chosen)

    @classmethod
    def of_text(cls, query: str) -> Filter:
        """From a query string."""
        return cls.of(QueryDict(query[:2000]))

    @property
    def query(self) -> str:
        """Query string; equal filters give equal strings."""
        return urlencode({name: value for name, value in self.members().items() if value != "open"}, safe=",")

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the state is filtered."""
        return any(value for name, value in self.members().items() if name not in {"state", "sort"})

    def members(self) -> dict[str, str]:
        """Parameters that differ from the default."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in values.items() if value}

    def findings(self, user: Any, role: str = "reviewer") -> FindingQuerySet:
        """Findings that match, of the projects in which the user has the role; the worst first."""
        matching = findings_for_user(user, role).filter(_conditions(self, user))
        if self.kind != "all":
            matching = matching.causes()
        return matching.order_by(*SORTS[self.sort], *WORST_FIRST)


def first_of_incidents(findings: FindingQuerySet) -> FindingQuerySet:
    """Of findings in an order, the first of each incident."""
    order: Any = list(findings.query.order_by)
    number = Window(RowNumber(), partition_by=[F("lineage"), F("incident")], order_by=order)
    return findings.annotate(number_in_incident=number).filter(number_in_incident=1)


def _in_state(state: str, user: Any) -> Q:
    if state == "open":
        return Q(state__in=OPEN) & ~Q(presence=Presence.GONE)
    if state == "done":
        return Q(state__in=DONE)
    return Q() if state == "any" else Q(state=state)


def _of_journal(journal_id: str, user: Any) -> Q:
    """Any dump of the journal."""
    try:
        lineage = Journal.objects.filter(pk=UUID(journal_id)).values("lineage")
    except ValueError:
        return Q(pk=None)
    return Q(lineage__in=lineage)


def _of_assignee(name: str, user: Any) -> Q:
    if name == "me":
        return Q(assignee=user)
    return Q(assignee=None) if name == "nobody" else Q(assignee__username=name)


def _due(when: str, user: Any) -> Q:
    return Q(due_at__lt=timezone.now() + timedelta(days=0 if when == "overdue" else 7))


def _present(presence: str, user: Any) -> Q:
    """As the newest inspection says; resolved and in a dump that came later."""
    if presence != NOT_MENDED:
        return Q(presence=presence)
    return Q(state=FindingState.RESOLVED, journal__created_at__gt=F("decided_at")) & ~Q(
        presence=Presence.GONE
    )


def _with_text(text: str, user: Any) -> Q:
    names = ("title", "detector", "key", "topic", "journal__name", "journal__ticket")
    every = Q()
    for word in text.split()[:10]:
        every &= Q(*[(f"{name}__icontains", word) for name in names], _connector=Q.OR) | with_offset(word)
    return every


def with_offset(word: str) -> Q:
    """Findings that a number names as an offset: of a record that proves them, or the first or last that they are about.

    Rows of an earlier version have the first and last alone until their journal is inspected again.
    """
    if not (word.isascii() and word.isdecimal()) or int(word) >= 1 << 63:
        return Q(pk__in=[])
    offset = int(word)
    return Q(proof_offsets__contains=f" {offset} ") | Q(first_offset=offset) | Q(last_offset=offset)


NARROWINGS: dict[str, Callable[[str, Any], Q]] = {
    "state": _in_state,
    "severity": lambda severities, user: Q(severity__in=severities.split(",")),
    "project": lambda slug, user: Q(journal__project__slug=slug),
    "journal": _of_journal,
    "detector": lambda detector, user: Q(detector=detector),
    "assignee": _of_assignee,
    "due": _due,
    "presence": _present,
    "q": _with_text,
}
PRESETS = (
    ("open", "Open", Filter()),
    ("mine", "Mine", Filter(assignee="me")),
    ("overdue", "Overdue", Filter(due="overdue")),
    ("back", "Present again", Filter(state="any", presence=Presence.BACK)),
    ("not_mended", "Resolved but still present", Filter(state="any", presence=NOT_MENDED)),
    ("suppressed", "Suppressed", Filter(state=FindingState.SUPPRESSED)),
    ("done", "Done", Filter(state="done")),
    ("samples", "Samples", Filter(samples="only")),
)


def presets_of(project: str) -> list[tuple[str, str, Filter]]:
    """The views of one project, or of all if it is empty."""
    return [(name, title, replace(preset, project=project)) for name, title, preset in PRESETS]


def preset_counts(user: Any, project: str = "") -> dict[str, int]:
    """Number of incidents by preset, in one query."""
    incident = Concat(Cast("lineage", CharField()), Value(":"), "incident")
    conditions = {
        name: Count(incident, filter=_conditions(preset, user), distinct=True)
        for name, _, preset in presets_of(project)
    }
    return dict(findings_for_user(user, "reviewer").causes().aggregate(**conditions))


def _conditions(chosen: Filter, user: Any) -> Q:
    every = Q()
    for name, narrow in NARROWINGS.items():
        if value := getattr(chosen, name):
            every &= narrow(value, user)
    return every & _of_samples(chosen)


def _of_samples(chosen: Filter) -> Q:
    """Sample journals are looked at on purpose: by their view, or by the filter of one journal."""
    if chosen.samples == "only":
        return Q(journal__is_sample=True)
    return Q() if chosen.samples or chosen.journal else Q(journal__is_sample=False)
