"""Files: what was read, how it was recognised, what it could not tell, and where it is damaged.

The text of an upload has a fragment of its own, with its parts marked; its bytes come from the content store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from spark.redaction.selection import LOG
from spark.terms.marked import UNNAMED
from webapp.catalogue.pages import pages
from webapp.journals.access import can_add
from webapp.journals.disk import storage
from webapp.journals.models import Upload
from webapp.journals.pasted import FILE
from webapp.reports import pasted_text
from webapp.reports.page import Page, report_page
from webapp.reports.pages import POSITION, ReportAddress, ReportPage
from webapp.reports.pages._file_groups import groups_of
from webapp.reports.pasted_text import TextPart
from webapp.reports.queries.damage import DAMAGE_SHOWN, DAMAGED, count_damage, list_damage
from webapp.reports.results import Results, Rows, remembered
from webapp.reports.templatetags.report_words import damage_words

MAP_UNITS = 1000  # the damage map's width, in units of its viewBox
MIN_UNITS = 4.0  # so that one bad byte in a gigabyte is still seen
FILES_SHOWN = 2000
FILES = f"""
SELECT f.*, coalesce(d.ranges, 0) AS damaged_ranges, coalesce(d.damaged_bytes, 0)::BIGINT AS damaged_bytes
FROM files AS f
LEFT JOIN (SELECT file, count(*) AS ranges, sum(size_bytes) AS damaged_bytes FROM ({DAMAGED}) GROUP BY file) AS d
USING (file) ORDER BY d.damaged_bytes DESC NULLS LAST, f.name LIMIT {FILES_SHOWN}
"""

# Of files whose name and layout tell no topic: that of their records.
TOPICS = """
SELECT file, min(topic) AS topic, count(DISTINCT topic) AS topics,
       CASE WHEN count(DISTINCT "partition") = 1 THEN min("partition") END AS "partition"
FROM records WHERE list_contains($files, file) GROUP BY file
"""
SEVERAL = "Several topics"

# Offsets stored in a file or lost in its damage, and whether each of its batches has the checksum of its bytes.
STORED = f"""
SELECT file, min(first_offset) AS first_offset, max(last_offset) AS last_offset, bool_and(is_right) AS has_right_checksums
FROM (
    SELECT file, base_offset AS first_offset, greatest(base_offset, last_offset) AS last_offset,
        coalesce(crc_ok AND crc_stored = crc_computed, false) AS is_right
    FROM batches
    UNION ALL SELECT file, first_offset, coalesce(last_offset, first_offset), NULL FROM ({DAMAGED})
) GROUP BY file
"""

# Lines of pasted texts that are not output of a tool.
SET_ASIDE_SHOWN = 1000
SET_ASIDE = f"""
SELECT * FROM set_aside ORDER BY file, line, position LIMIT {SET_ASIDE_SHOWN}
"""

SET_ASIDE_OF = """
SELECT * FROM set_aside WHERE name = $name AND line <= $last ORDER BY line, position DESC
"""
SET_ASIDE_NAMES = "SELECT DISTINCT name FROM set_aside"
POSITIONS = """
SELECT DISTINCT batch_position FROM records WHERE list_contains($files, file) AND batch_position < $end
"""

# tables of companion files whose rows tell their file
COMPANIONS = (
    "index_entries",
    "aborted_txns",
    "epoch_entries",
    "producer_states",
    "checkpoints",
    "properties",
    "captures",
    "printed",
)
ENTRIES = " UNION ALL ".join(
    f"SELECT file, count(*) AS entries FROM {name} GROUP BY file" for name in COMPANIONS
)


@dataclass(frozen=True)
class DamageSegment:
    x: str
    width: str
    reason: str
    title: str


@dataclass(frozen=True)
class PastedUpload:
    """An upload that is shown as text. `number`: that of its first file."""

    number: int
    name: str
    upload: Upload
    parts: list[TextPart]


@report_page
def files(page: Page) -> HttpResponse:
    """All inputs and damaged ranges."""
    damage = list_damage(page.results)
    by_file: dict[int, list[dict[str, Any]]] = {}
    for row in damage:
        by_file.setdefault(row["file"], []).append(row)
    rows, entries = list_files(page.results), entries_by_file(page.results)
    groups = groups_of(with_topics(page, rows), page.replica.name, page.report.log_findings())
    return page.render(
        "reports/files.html",
        {
            "groups": groups,
            "has_faults": any(group.has_fault for group in groups),
            "maps": {
                row["file"]: damage_map(by_file[row["file"]], row["size_bytes"])
                for row in rows
                if row["file"] in by_file
            },
            "entries": entries,
            "dialects": [(dialect.name, dialect.title) for dialect in pages("dialects")],
            "can_change": page.source.inspection is not None
            and can_add(page.request.user, page.inspection.journal.project_id),
            "total": page.results.count("files"),
            "files_shown": min(FILES_SHOWN, len(rows)),
            "set_aside": page.results.rows(SET_ASIDE),
            "texts": texts_of(page, rows),
            "set_aside_total": page.results.count("set_aside"),
            "damage": damage,
            "damage_total": count_damage(page.results),
            "damage_shown": min(DAMAGE_SHOWN, len(damage)),
        },
    )


def with_topics(page: Page, rows: Rows) -> Rows:
    """Files, those without a topic with that of their records: of those in the share, where this is one."""
    unnamed = [
        row["file"]
        for row in rows
        if row["topic"] in (None, "", UNNAMED) and row["kind"] not in ("companion", "ignored")
    ]
    if not unnamed or not page.results.count("records"):
        return rows
    topics = {row["file"]: row for row in page.results.rows(TOPICS, {"files": unnamed})}
    return [row | _topic_of(topics[row["file"]]) if row["file"] in topics else row for row in rows]


def _topic_of(row: dict[str, Any]) -> dict[str, Any]:
    if row["topics"] > 1:
        return {"topic": SEVERAL, "partition": None}
    return {"topic": row["topic"], "partition": row["partition"]}


def damage_map(damage: list[dict[str, Any]], size_bytes: int | None) -> list[DamageSegment]:
    """Damaged ranges of a file, to scale."""
    if not size_bytes:
        return []
    return [_segment(row, size_bytes) for row in damage]


def _segment(row: dict[str, Any], size_bytes: int) -> DamageSegment:
    width = max(MIN_UNITS, row["size_bytes"] / size_bytes * MAP_UNITS)
    x = min(row["position"] / size_bytes * MAP_UNITS, MAP_UNITS - width)
    title = f"{row['size_bytes']:,} bytes at byte {row['position']}: {row['detail'] or damage_words(row['reason'])}"
    return DamageSegment(f"{max(0.0, x):.2f}", f"{min(width, MAP_UNITS):.2f}", row["reason"], title)


@report_page
def text(page: Page, file: int) -> HttpResponse:
    """Fragment: a text, line by line, up to MAX_LINES."""
    pasted = next(
        (upload for upload in texts_of(page, list_files(page.results)) if upload.number == file), None
    )
    if pasted is None:
        raise Http404("There is no such text.")
    size_bytes = pasted.upload.size_bytes
    try:
        head = storage.head(str(pasted.upload.blob_id), pasted_text.MAX_BYTES)
    except FileNotFoundError:
        raise Http404("The file was deleted.") from None
    files = [part.file for part in pasted.parts]
    of_text = [part.file for part in pasted.parts if part.layout not in pasted_text.OF_THE_LOG]
    asides = page.results.rows(SET_ASIDE_OF, {"name": pasted.name, "last": pasted_text.MAX_LINES})
    records, damage = positions_of_records(page.results, of_text, len(head)), damage_of(page, files)
    lines = pasted_text.lines_of(head, len(head) == size_bytes, pasted.parts, asides, damage, records)
    context = {
        "text": pasted,
        "lines": lines,
        "is_cut": is_cut(head, size_bytes, len(lines)),
    }
    return render(page.request, "reports/parts/text.html", context)


def texts_of(page: Page, files: Rows) -> list[PastedUpload]:
    """Uploads with something around or between their dumps, and what was pasted on the page. None in a share."""
    if page.source.inspection is None:
        return []
    uploads = {upload.name: upload for upload in page.inspection.journal.uploads.exclude(blob=None)}
    wrapped = {row["name"] for row in page.results.rows(SET_ASIDE_NAMES)}
    names = {pasted_text.upload_of(row["name"]) for row in files if row["name"] not in uploads}
    names = (names | wrapped | {FILE}) & uploads.keys()
    texts = []
    for name in sorted(names):
        parts = pasted_text.parts_of(name, files)
        if parts and all(
            row["sha256"] == uploads[name].blob_id for row in files if row["file"] == parts[0].file
        ):
            texts.append(PastedUpload(parts[0].file, name, uploads[name], parts))
    return texts


def damage_of(page: Page, files: list[int]) -> Rows:
    """Unreadable ranges of these files."""
    return [
        row for row in list_damage(page.results) if row["file"] in files and row["reason"] != "crc_mismatch"
    ]


def is_cut(head: bytes, size_bytes: int, lines: int) -> bool:
    """Whether the text is longer than what is shown."""
    return len(head) < size_bytes or head.count(b"\n") > lines


def list_files(results: Results) -> Rows:
    """All input files, the most damaged first, with the offsets in them."""
    stored = {row["file"]: row for row in results.rows(STORED)}
    return [row | stored.get(row["file"], {}) for row in results.rows(FILES)]


def positions_of_records(results: Results, files: list[int], end: int) -> list[int]:
    """Byte positions of the batches of these files, below `end`."""
    return [row["batch_position"] for row in results.rows(POSITIONS, {"files": files, "end": end})]


@remembered
def entries_by_file(results: Results) -> dict[int, int]:
    """Number of entries by companion file."""
    return {row["file"]: row["entries"] for row in results.rows(ENTRIES)}


page = ReportPage(
    name="report-files",
    path="files/",
    view=files,
    title="Files",
    position=90,
    of_files=True,
    tables=LOG,
    shared=True,
    further=(
        ReportAddress(
            "report-text", "files/<int:file>/text/", text, filters={"file": POSITION}, read_as="text.read"
        ),
    ),
)
