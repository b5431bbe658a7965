"""What an estimate says, and whether the capture may be started as it was asked for.

    {"partitions": [{"partition", "from_offset", "to_offset", "offsets", "size_bytes", ...}],
     "offsets", "size_bytes", "seconds", "size_unknown_because"}

Source: `Estimate` of workers/capture/estimate.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from spark.terms.wording import plural
from webapp.accounts.models import Project
from webapp.journals.disk import quotas
from webapp.journals.templatetags.journalscope import seconds
from webapp.journals.templatetags.journalscope import size as in_words

LINES_SHOWN = 200


@dataclass(frozen=True)
class EstimateView:
    sentence: str
    notes: list[str]
    lines: list[dict[str, Any]]
    partition_count: int
    rejection: str
    is_empty: bool

    @property
    def has_extra(self) -> bool:
        """Whether there are more partitions than are shown."""
        return self.partition_count > len(self.lines)

    @property
    def can_start(self) -> bool:
        """Whether there is something to capture and room for it."""
        return not self.rejection and not self.is_empty


def estimate_view(result: dict[str, Any], spec: dict[str, Any], project: Project) -> EstimateView:
    lines = result["partitions"]
    size_bytes = sum(line["size_bytes"] or 0 for line in lines)
    return EstimateView(
        sentence=_sentence(spec["topic"], result["offsets"], size_bytes),
        notes=list(_notes(result, spec, size_bytes)),
        lines=lines[:LINES_SHOWN],
        partition_count=len(lines),
        rejection=_rejection(project, result["size_bytes"] or 0),
        is_empty=result["offsets"] == 0,
    )


def _sentence(topic: str, records: int, size_bytes: int) -> str:
    if not records:
        return f"{topic} has nothing to capture there."
    about = f", about {in_words(size_bytes)}" if size_bytes else ""
    return f"At most {plural(records, 'record')} of {topic}{about}."


def _notes(result: dict[str, Any], spec: dict[str, Any], size_bytes: int) -> Any:
    max_bytes = spec.get("max_bytes")
    if max_bytes and size_bytes > max_bytes:
        yield f"The capture stops at {in_words(max_bytes)}; what comes after that is left out, and the report says so."
    if result["seconds"]:
        yield f"At the selected rate this takes {seconds(result['seconds'])}."
    if result["size_unknown_because"]:
        yield f"The size is unknown: {result['size_unknown_because']}"
    leaderless = [str(line["partition"]) for line in result["partitions"] if line["offsets"] is None]
    if leaderless:
        yield f"Without a leader now, so it cannot be captured: partition {', '.join(leaderless)}."


def _rejection(project: Project, needed_bytes: int) -> str:
    """Why the capture cannot start; empty if it can."""
    if needed_bytes > settings.CAPTURE_MAX_BYTES:
        return (
            f"This is more than the {in_words(settings.CAPTURE_MAX_BYTES)} that one capture may have "
            "(CAPTURE_MAX_BYTES). Choose fewer partitions, a later beginning, or a limit in MB."
        )
    if project.quota_bytes is None:
        return ""
    room = max(0, project.quota_bytes - quotas.used_bytes(project))
    if needed_bytes <= room and room:
        return ""
    return (
        f"The project {project} has room for {in_words(room)} more. Delete journals that are no longer needed, "
        "enter a limit in MB, or ask an admin of the site for a higher quota."
    )
