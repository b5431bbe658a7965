"""What to capture, once or again and again: forms, the spec that the workers understand, and the same in words.

    {"topic", "partitions": [0, 1] | null, "start": Start, "end": End, "max_bytes": n | null, "bytes_per_second": n | null}
    Start  {"at": "earliest"} | {"offset": n} | {"timestamp_ms": n} | {"offsets": {"0": n}}
    End    {"at": "latest"} | {"offset": n} (not included) | {"timestamp_ms": n}

Source: `CaptureSpec` of workers/capture/ask.py.
"""

from __future__ import annotations

import re
from datetime import UTC
from typing import Any

from django import forms

from spark.terms.wording import number_ranges
from webapp.clusters.models import SCHEDULES
from webapp.journals.templatetags.journalscope import size as in_words
from webapp.time_element import from_ms, zone_named

MB = 1_000_000
HOUR = 60  # minutes
MAX_PARTITIONS = 10_000
MAX_OFFSET = 2**63 - 1
TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
STARTS = [("earliest", "the first record there is"), ("offset", "an offset"), ("timestamp_ms", "a time")]
ENDS = [("latest", "the last record at the start of the capture"), *STARTS[1:]]


def _time(label: str) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}, format="%Y-%m-%dT%H:%M:%S")
    return forms.DateTimeField(label=label, required=False, widget=widget)


def _offset(label: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=0, max_value=MAX_OFFSET)


class CaptureForm(forms.Form):
    """What to capture of a topic: partitions, start, end, and limits of size and speed."""

    topic = forms.CharField(max_length=249)
    partitions = forms.CharField(
        label="Partitions", required=False, max_length=2000, help_text="Such as 0, 3-5. Empty: all of them."
    )
    start_at = forms.ChoiceField(label="From", choices=STARTS, initial="earliest")
    start_offset = _offset("From offset")
    start_time = _time("From time (UTC)")
    end_at = forms.ChoiceField(label="To", choices=ENDS, initial="latest")
    end_offset = _offset("To offset, included")
    end_time = _time("To time (UTC)")
    max_mb = forms.IntegerField(
        label="Capture at most, MB", required=False, min_value=1, max_value=10**9,
        help_text="Of what is on the broker's disk. Empty: no limit but the server's and the project's.",
    )  # fmt: skip
    mb_per_second = forms.FloatField(
        label="At most, MB a second", required=False, min_value=0.01, max_value=10**6,
        help_text="Limits the load on the cluster. Empty: no limit.",
    )  # fmt: skip

    zone = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput({"data-zone-field": ""}))

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if self.is_bound or self.initial.get("start_time") or self.initial.get("end_time"):
            self._name_the_zone()

    def _name_the_zone(self) -> None:
        """Times that are filled in keep their zone, whatever the page shows."""
        zone = str(zone_named(self.data.get("zone", "")) or "UTC")
        self.fields["zone"].widget.attrs["data-zone-fixed"] = ""
        for side in ("start", "end"):
            field = self.fields[f"{side}_time"]
            field.label = str(field.label).replace("UTC", zone)

    def clean_topic(self) -> str:
        topic: str = self.cleaned_data["topic"]
        if not TOPIC.fullmatch(topic) or topic in {".", ".."}:
            raise forms.ValidationError(f"{topic} is not a topic name. Select one of the cluster's topics.")
        return topic

    def clean_partitions(self) -> list[int] | None:
        """Partition numbers in ascending order; None for all partitions."""
        chosen: set[int] = set()
        for text in re.split(r"[\s,;]+", self.cleaned_data["partitions"].strip()):
            if not text:
                continue
            match = RANGE.fullmatch(text)
            if not match:
                raise forms.ValidationError(
                    f"{text} is not a partition. Enter numbers and ranges such as 0, 3-5."
                )
            first, last = int(match[1]), int(match[2] or match[1])
            if last - first >= MAX_PARTITIONS:
                raise forms.ValidationError(f"{text} are too many; name {MAX_PARTITIONS:,} at most.")
            chosen |= set(range(first, last + 1))
        return sorted(chosen) or None

    def clean(self) -> dict[str, Any]:
        """Each end has a value, and the end is after the start."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        zone = zone_named(cleaned.get("zone", ""))
        for side in ("start", "end"):
            self._require(side, cleaned)
            if zone and cleaned.get(f"{side}_time"):
                cleaned[f"{side}_time"] = cleaned[f"{side}_time"].replace(tzinfo=zone)
        if self.errors:
            return cleaned
        for kind, value in (("offset", "offset"), ("timestamp_ms", "time")):
            is_both = cleaned["start_at"] == cleaned["end_at"] == kind
            if is_both and cleaned[f"end_{value}"] < cleaned[f"start_{value}"]:
                self.add_error(f"end_{value}", "This is before the beginning.")
        return cleaned

    def _require(self, side: str, cleaned: dict[str, Any]) -> None:
        kind = cleaned.get(f"{side}_at", "")
        field = {"offset": f"{side}_offset", "timestamp_ms": f"{side}_time"}.get(kind)
        if field and cleaned.get(field) is None and field not in self.errors:
            self.add_error(field, "Enter it, or select another start or end above.")

    @property
    def spec(self) -> dict[str, Any]:
        """The JSON of a `CaptureSpec`; only after `is_valid()`."""
        cleaned = self.cleaned_data
        rate = cleaned["mb_per_second"]
        return {
            "topic": cleaned["topic"],
            "partitions": cleaned["partitions"],
            "start": self._bound("start"),
            "end": self._bound("end", beyond=1),
            "max_bytes": cleaned["max_mb"] * MB if cleaned["max_mb"] else None,
            "bytes_per_second": int(rate * MB) if rate else None,
        }

    def _bound(self, side: str, beyond: int = 0) -> dict[str, Any]:
        """Start or end. `beyond`: the form's offset is inclusive, the spec's is exclusive."""
        at, offset, moment = (self.cleaned_data[f"{side}_{name}"] for name in ("at", "offset", "time"))
        if at == "offset":
            return {"offset": offset + beyond}
        return {"timestamp_ms": int(moment.timestamp() * 1000)} if at == "timestamp_ms" else {"at": at}


def _schedule() -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label="Capture what is new", choices=list(SCHEDULES.items()), coerce=int, initial=HOUR
    )


class WatchForm(CaptureForm):
    """The first capture and the schedule. Limits apply to each run."""

    every_minutes = _schedule()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["end_at"].required = False

    def clean_end_at(self) -> str:
        """A watch always reads to the end of the log."""
        return "latest"


class ScheduleForm(forms.Form):
    every_minutes = _schedule()
    is_on = forms.BooleanField(label="On", required=False)


def initial_of(spec: dict[str, Any]) -> dict[str, Any]:
    """Initial values of the form for an existing spec."""
    rate = spec.get("bytes_per_second")
    return {
        "topic": spec.get("topic", ""),
        "partitions": ", ".join(number_ranges(spec.get("partitions") or [])),
        **_initial_bound("start", spec.get("start", {}), "earliest"),
        **_initial_bound("end", spec.get("end", {}), "latest", beyond=1),
        "max_mb": spec["max_bytes"] // MB if spec.get("max_bytes") else None,
        "mb_per_second": rate / MB if rate else None,
    }


def _initial_bound(side: str, bound: dict[str, Any], otherwise: str, beyond: int = 0) -> dict[str, Any]:
    moment = from_ms(bound.get("timestamp_ms"))
    return {
        f"{side}_at": next((kind for kind in ("offset", "timestamp_ms") if kind in bound), otherwise),
        f"{side}_offset": bound["offset"] - beyond if "offset" in bound else None,
        f"{side}_time": moment.astimezone(UTC) if moment else None,
    }


def sentence(spec: dict[str, Any]) -> str:
    """`partitions 0, 3-5 of orders, from offset 7 to the last record, at most 1.0 GB, 5.0 MB a second`."""
    partitions = spec.get("partitions")
    which = (
        f"partition{'' if len(partitions) == 1 else 's'} {', '.join(number_ranges(partitions))}"
        if partitions
        else "all partitions"
    )
    start = _bound_words(spec["start"], "the first record")
    end = _bound_words(spec["end"], "the last record", beyond=1)
    parts = [f"{which} of {spec['topic']}", f"from {start} to {end}"]
    if spec.get("max_bytes"):
        parts.append(f"at most {in_words(spec['max_bytes'])}")
    if spec.get("bytes_per_second"):
        parts.append(f"{in_words(spec['bytes_per_second'])} a second")
    return ", ".join(parts)


def _bound_words(bound: dict[str, Any], otherwise: str, beyond: int = 0) -> str:
    if "offsets" in bound:
        return "where the last capture stopped"
    if "offset" in bound:
        return f"offset {bound['offset'] - beyond}"
    if "timestamp_ms" not in bound:
        return otherwise
    moment = from_ms(bound["timestamp_ms"])
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC" if moment else "a time that no calendar has"
