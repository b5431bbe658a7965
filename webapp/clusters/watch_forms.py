"""What to watch, and how often."""

from __future__ import annotations

from typing import Any

from django import forms

from webapp.clusters.asks import CaptureForm
from webapp.clusters.models import SCHEDULES

HOUR = 60


def _schedule() -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label="Capture what is new", choices=list(SCHEDULES.items()), coerce=int, initial=HOUR
    )


class WatchForm(CaptureForm):
    """The first capture, which runs to the end of the log as all do, and the schedule. Limits hold for each run."""

    every_minutes = _schedule()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["end_at"].required = False

    def clean_end_at(self) -> str:
        """The end of the log, whatever was sent."""
        return "latest"


class ScheduleForm(forms.Form):
    """Of a watch that is there."""

    every_minutes = _schedule()
    is_on = forms.BooleanField(label="On", required=False)
