"""The download of a comparison: the entities or the ranges of records that differ as CSV, the whole document as JSON.

entities.csv       an entity a row, the worst consequence first, for the sides and offsets that the page shows
records.csv        a range of offsets a row
comparison.json    docs/compare.md
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from webapp.accounts.access import require_role
from webapp.audit.log import record
from webapp.reports.comparison.entities import every_entity
from webapp.reports.comparison.partition import ComparedPartition
from webapp.reports.comparison.states import GONE, SLOW, every_difference
from webapp.reports.comparison.strips import look_of, words_of
from webapp.reports.pages.compare import both, context
from webapp.sharing.exports.sheet import guarded, table_text

MAX_ENTITIES = 50_000  # of a partition
ENTITIES = (
    "topic", "partition", "consequence", "entity_type", "entity_id", "before_side", "before", "before_offset",
    "after_side", "after", "after_offset", "why",
)  # fmt: skip
RECORDS = ("topic", "partition", "first_offset", "last_offset", "records", "kind", "words")


@require_safe
def export(request: HttpRequest, inspection_id: UUID, other_id: UUID, layout: str) -> HttpResponse:
    if layout not in WRITERS:
        raise Http404("There is no such export.")
    left, right = both(request, inspection_id, other_id)
    for inspection in (left, right):
        require_role(request.user, "support", inspection.journal.project_id)
    compared = context(request, inspection_id, other_id)
    if compared["result"] is None:
        raise Http404("There is no comparison to export. Compare the two inspections first.")
    try:
        text = WRITERS[layout](compared)
    except TimeoutError:
        return HttpResponse(SLOW, status=503, content_type="text/plain; charset=utf-8")
    except (OSError, ValueError, KeyError):
        return HttpResponse(GONE, status=410, content_type="text/plain; charset=utf-8")
    record("export.made", project_id=left.journal.project_id, target=left, what="comparison", layout=layout)
    return _download(text, layout, [left.journal.name, right.journal.name])


def _download(text: bytes, layout: str, names: list[str]) -> HttpResponse:
    kind = "application/json" if layout.endswith(".json") else "text/csv"
    journals = "-and-".join(
        slugify(name.replace(".", " "))[:40] or "journal" for name in dict.fromkeys(names)
    )
    headers = {"Content-Disposition": f'attachment; filename="{journals}-{layout}"'}
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)


def _entities(compared: dict[str, Any]) -> bytes:
    rows = (
        row for partition in compared["partitions"] if partition.states for row in _entities_of(partition)
    )
    return table_text([ENTITIES, *rows])


def _entities_of(partition: ComparedPartition) -> Iterator[list[Any]]:
    before, after = partition.pair.in_order
    differences = every_difference(partition.pair, partition.at, MAX_ENTITIES)
    for consequence, row in every_entity(differences, partition.pair, partition.entry["ranges"]):
        yield [
            guarded(partition.entry["topic"]), partition.entry["partition"], consequence.lower(), row.type_words,
            guarded(row.entity_id), guarded(before.name), guarded(row.before), row.before_offset, guarded(after.name),
            guarded(row.after), row.after_offset, guarded(row.reason.text if row.reason else ""),
        ]  # fmt: skip


def _records(compared: dict[str, Any]) -> bytes:
    return table_text(
        [RECORDS, *(row for partition in compared["partitions"] for row in _ranges_of(partition))]
    )


def _ranges_of(partition: ComparedPartition) -> Iterable[list[Any]]:
    for row in partition.entry["ranges"]:
        look = look_of(row, partition.pair)
        yield [
            guarded(partition.entry["topic"]), partition.entry["partition"], row["first_offset"], row["last_offset"],
            row["records"], look, guarded(words_of(look, partition.pair)),
        ]  # fmt: skip


def _document(compared: dict[str, Any]) -> bytes:
    return json.dumps(compared["result"], ensure_ascii=False, indent=2).encode()


WRITERS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "entities.csv": _entities,
    "records.csv": _records,
    "comparison.json": _document,
}
