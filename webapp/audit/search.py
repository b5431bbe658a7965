"""The audit log narrowed by what an address asks for. A filter that is not understood says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.db.models import Q, QuerySet

from webapp.audit.models import Event
from webapp.time_element import zone_named

CONDITIONS: dict[str, Callable[[str], Q]] = {
    "actor": lambda name: Q(actor_name__icontains=name),
    "action": lambda beginning: Q(action__startswith=beginning),
    "target": lambda text: Q(target_name__icontains=text) | Q(target_id__iexact=text),
    "request": lambda text: Q(request_id=text.replace("-", "")),
}
FIELDS = ("actor", "action", "target", "project", "since", "until", "zone", "request")


@dataclass
class Search:
    """Search parameters as typed, and which of them were invalid."""

    params: dict[str, str]
    problems: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Search:
        """From the parameters of a request; invalid values are ignored."""
        return cls({name: query.get(name, "").strip()[:200] for name in FIELDS})

    @property
    def is_narrowed(self) -> bool:
        return any(text for name, text in self.params.items() if name != "zone")

    @property
    def is_in_time(self) -> bool:
        """Whether a time is asked for, in the zone of `params`."""
        return bool(self.params["since"] or self.params["until"])

    @property
    def zone_name(self) -> str:
        return str(zone_named(self.params["zone"]) or "UTC")

    def narrow(self, events: QuerySet[Event], projects: Mapping[str, int]) -> QuerySet[Event]:
        """Matching events; `projects` maps slugs to ids of the projects that the user may see."""
        for name, condition in CONDITIONS.items():
            if text := self.params[name]:
                events = events.filter(condition(text))
        if slug := self.params["project"]:
            events = events.filter(project_id=projects.get(slug, -1))
        return self._in_time(events)

    def _in_time(self, events: QuerySet[Event]) -> QuerySet[Event]:
        since, until = self._moment("since"), self._moment("until", is_end=True)
        if since:
            events = events.filter(at__gte=since)
        return events.filter(at__lt=until) if until else events

    def _moment(self, name: str, *, is_end: bool = False) -> datetime | None:
        """A date or time in the zone of the page. As an end, a date means its last moment and a minute its last second."""
        text = self.params[name].replace(" UTC", "")
        if not text:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.problems.append(
                f"“{text}” is not a time such as 2026-01-31 or 2026-01-31 10:30, so it was left out."
            )
            return None
        step = timedelta(days=1) if len(text) <= 10 else timedelta(minutes=1 if len(text) <= 16 else 0)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone_named(self.params["zone"]) or UTC)
        return moment + step if is_end else moment
