"""Sources of the records of a repair: older dumps that the user may see, and files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from spark.tables.replica import PartitionReplica
from webapp.journals.access import finished_inspections
from webapp.journals.models import Inspection, Repair
from webapp.reports.results import replica_query
from webapp.time_element import EPOCH, from_ms, time_element

if TYPE_CHECKING:
    from webapp.reports.page import Page

SOURCE = re.compile(r"offset (-?\d+) of (.*)", re.DOTALL)
FILE = "file "


@dataclass(frozen=True)
class OriginDump:
    """A dump that records come from. `at`: when its newest record was written; without a name the reader may not see it. A
    namesake is called as the journal that lacks the records is."""

    name: str = ""
    url: str = ""
    at: SafeString | str = ""
    is_namesake: bool = False


@dataclass(frozen=True)
class Origins:
    """Dumps, the newest first, and names of files."""

    dumps: Sequence[OriginDump] = ()
    files: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.dumps or self.files)


def origins(page: Page, repair: Repair, outcome: dict[str, Any]) -> Origins:
    """Of the records that the recommended way of a partition adds, else the first way."""
    sources = {record["source"] for way in _ways(outcome) for record in way["added"]}
    inputs = (repair.result or {}).get("inputs", [])
    dumps = {dump["inspection"] for dump in (dump_of(source, inputs) for source in sources) if dump}
    texts = [source.removeprefix(FILE) for source in sources if source.startswith(FILE)]
    return Origins(
        _dumps(page, dumps - {str(repair.inspection_id)}),
        [name for name in repair.files.values_list("name", flat=True) if _is_among(name, texts)],
    )


def comes_from_elsewhere(repair: Repair, outcome: dict[str, Any]) -> bool:
    """Whether the same records come from another dump or a file, whoever may see it."""
    inputs = (repair.result or {}).get("inputs", [])
    sources = {record["source"] for way in _ways(outcome) for record in way["added"]}
    dumps = {dump["inspection"] for dump in (dump_of(source, inputs) for source in sources) if dump}
    return bool(dumps - {str(repair.inspection_id)}) or any(source.startswith(FILE) for source in sources)


@dataclass(frozen=True)
class TextOrigin:
    """Where a lost text can be taken from: a record of a dump, or a file. `url`: of the record, empty for a record of this dump."""

    offset: int | None = None
    dump: OriginDump | None = None
    file: str = ""
    url: str = ""


def text_origins(page: Page, repair: Repair, outcome: dict[str, Any]) -> dict[str, TextOrigin]:
    """By name of what the first way adds (`content 48`); a dump that the reader may not see has no name."""
    inputs = (repair.result or {}).get("inputs", [])
    added = [record for way in _ways(outcome) for record in way["added"]]
    ids = {dump["inspection"] for record in added if (dump := dump_of(record["source"], inputs))}
    dumps = {
        str(inspection.pk): dump_named(inspection, page.inspection)
        for inspection in finished_inspections(page.request.user).filter(pk__in=ids).select_related("journal")
    }
    origins = ((record["what"], _text_origin(record["source"], inputs, dumps, outcome)) for record in added)
    return {name: origin for name, origin in origins if origin}


def _text_origin(
    source: str, inputs: Sequence[dict[str, Any]], dumps: dict[str, OriginDump], outcome: dict[str, Any]
) -> TextOrigin | None:
    if source.startswith(FILE):
        return TextOrigin(file=source.removeprefix(FILE))
    match, dump = SOURCE.fullmatch(source), dump_of(source, inputs)
    if match is None or dump is None:
        return None
    offset = int(match[1])
    if dump is inputs[0]:
        return TextOrigin(offset)
    origin = dumps.get(dump["inspection"])
    return TextOrigin(offset, origin or OriginDump(), url=record_url(dump, outcome, offset) if origin else "")


def record_url(dump: dict[str, Any], partition: dict[str, Any], offset: int) -> str:
    """Address of a record in an older dump, in the partition that corresponds to the repaired one."""
    numbered = [PartitionReplica(*names) for names in dump["places"] if names[1] == partition["partition"]]
    replicas = [replica for replica in numbered if replica.topic == partition["topic"]] or numbered
    query = replica_query(replicas[0]) if replicas else {}
    address = reverse("report-records", args=[dump["inspection"]])
    return f"{address}?{urlencode({**query, 'offset': offset, 'record': offset})}"


def _ways(outcome: dict[str, Any]) -> list[dict[str, Any]]:
    """The recommended way, else the first one."""
    return sorted(outcome["ways"], key=lambda way: way["id"] != outcome["recommended"])[:1]


def dump_of(source: str, inputs: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The input of a repair that a source names: `offset 4 of the older dump a.json`."""
    match = SOURCE.fullmatch(source)
    fitting = [dump for dump in inputs if match and match[2].startswith(dump["name"])]
    return max(fitting, key=lambda dump: len(dump["name"]), default=None)


def _is_among(name: str, texts: Sequence[str]) -> bool:
    """Whether a source is this file: its name, or the name, a comma and more."""
    return any(text == name or text.startswith(f"{name},") for text in texts)


def _dumps(page: Page, ids: set[str]) -> list[OriginDump]:
    visible = finished_inspections(page.request.user).filter(pk__in=ids).select_related("journal")
    newest_first = sorted(visible, key=lambda inspection: newest_at(inspection) or EPOCH, reverse=True)
    dumps = named_dumps(page, newest_first)
    return dumps if len(dumps) == len(ids) else [*dumps, OriginDump()]


def named_dumps(page: Page, inspections: Sequence[Inspection]) -> list[OriginDump]:
    """Inspections as dumps that a page names together."""
    return [dump_named(inspection, page.inspection, inspections) for inspection in inspections]


def dump_named(inspection: Inspection, ours: Inspection, together: Iterable[Inspection] = ()) -> OriginDump:
    """An inspection as a dump that a page of `ours` names, with others or alone."""
    newest = newest_at(inspection)
    name, address = inspection.journal.name, reverse("report-overview", args=[inspection.pk])
    others = [newest_at(other) for other in together if other.pk != inspection.pk]
    at = shown_time(newest, newest_at(ours), others) if newest else ""
    return OriginDump(name, address, at, name == ours.journal.name)


def shown_time(newest: datetime, ours: datetime | None, others: Iterable[datetime | None] = ()) -> SafeString:
    """`08:24`; with the date if it is not the date of `ours`, with seconds if it is the minute of `ours` or of another dump."""
    is_same_day = ours is not None and newest.date() == ours.date()
    minutes = {f"{at:%F %H:%M}" for at in (ours, *others) if at is not None}
    time = f"{newest:%H:%M:%S}" if f"{newest:%F %H:%M}" in minutes else f"{newest:%H:%M}"
    return time_element(newest, time if is_same_day else f"{newest:%Y-%m-%d} {time}")


def newest_at(inspection: Inspection) -> datetime | None:
    """Time of the newest record, in UTC."""
    return from_ms(inspection.summary.get("last_timestamp_ms"))
