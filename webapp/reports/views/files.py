"""Files: what was read, how it was recognised, what it could not tell, and where it is damaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from webapp.catalogue.pages import pages
from webapp.journals.access import can_add
from webapp.journals.text_formats import USUAL
from webapp.reports.queries.damage import DAMAGE_SHOWN, count_damage, list_damage
from webapp.reports.queries.files import (
    FILES_SHOWN,
    entries_by_file,
    list_files,
    list_set_aside,
)
from webapp.reports.views.page import Page, report_page
from webapp.reports.views.pasted_text import texts_of

MAP_UNITS = 1000  # the damage map's width, in units of its viewBox
MIN_UNITS = 4.0  # so that one bad byte in a gigabyte is still seen


@dataclass(frozen=True)
class DamageSegment:
    """A piece of the damage map."""

    x: str
    width: str
    reason: str
    title: str


@report_page
def files(page: Page) -> HttpResponse:
    """Every input, and every damaged range."""
    damage = list_damage(page.results)
    by_file: dict[int, list[dict[str, Any]]] = {}
    for row in damage:
        by_file.setdefault(row["file"], []).append(row)
    rows, entries = list_files(page.results), entries_by_file(page.results)
    set_aside = list_set_aside(page.results)
    return page.render(
        "reports/files.html",
        {
            "rows": [
                (
                    row,
                    damage_map(by_file.get(row["file"], []), row["size_bytes"]),
                    entries.get(row["file"], 0),
                )
                for row in rows
            ],
            "dialects": [(one.name, one.title) for one in pages("dialects")],
            "can_change": page.source.inspection is not None
            and can_add(page.request.user, page.inspection.journal.project_id),
            "total": page.results.count("files"),
            "files_shown": min(FILES_SHOWN, len(rows)),
            "set_aside": set_aside,
            "texts": texts_of(page, rows),
            "text_formats": USUAL,
            "set_aside_total": page.results.count("set_aside"),
            "damage": damage,
            "damage_total": count_damage(page.results),
            "damage_shown": min(DAMAGE_SHOWN, len(damage)),
        },
    )


def damage_map(damage: list[dict[str, Any]], size_bytes: int | None) -> list[DamageSegment]:
    """Where in the file the damage lies, to scale."""
    if not size_bytes:
        return []
    return [_segment(row, size_bytes) for row in damage]


def _segment(row: dict[str, Any], size_bytes: int) -> DamageSegment:
    width = max(MIN_UNITS, row["size_bytes"] / size_bytes * MAP_UNITS)
    x = min(row["position"] / size_bytes * MAP_UNITS, MAP_UNITS - width)
    title = f"{row['size_bytes']:,} bytes at byte {row['position']:,}: {row['detail'] or row['reason']}"
    return DamageSegment(f"{max(0.0, x):.2f}", f"{min(width, MAP_UNITS):.2f}", row["reason"], title)
