"""`manage.py records PATH... --filter FILTER`: the records that match, as lines of text or JSON.

A PATH may also be the folder of results that `inspect --out` made. Exit code: 0, also if no record matches; 2 for a mistake in the filter and
for what cannot be read.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from spark.terms.visible import visible, visible_json
from spark.terms.wording import plural
from workers.management.base import GOOD, HeadlessCommand, Options, add_dialect, answer
from workers.management.inspecting import CommandContext, Report

if TYPE_CHECKING:
    from webapp.reports.filters.former import RecordFilter
    from webapp.reports.queries.partitions import PartitionTables

PORTION = 2_000  # records
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Command(HeadlessCommand):
    help = "Print the records of a journal that match a filter; all PATHs together are one input."
    name_a_path = (
        f"Name a journal: {COMMAND_NAME} records PATH... (dumps, log segments, partition folders, archives, or the folder of "
        "results that inspect --out made)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_dialect(parser)
        parser.add_argument(
            "--filter",
            default="",
            metavar="FILTER",
            help="such as --filter='kind:update value.amount > 400' (docs/filters.md); without it, every record",
        )
        parser.add_argument(
            "--zone",
            default="",
            metavar="NAME",
            help="zone of times in the filter, such as Europe/Berlin; default UTC",
        )
        parser.add_argument("--limit", type=int, metavar="N", help="stop after N records")

    def prepare(self, options: Options) -> None:
        """A mistake in the filter is said before anything is read."""
        from webapp.reports.filters.former import read_filter
        from webapp.reports.filters.reading import FilterError

        super().prepare(options)
        try:
            options["read"] = read_filter({name: options[name] for name in ("filter", "zone")})
        except FilterError as mistake:
            raise UnreadableInput(
                f"{mistake.with_place}\n  {options['filter']}\n  {' ' * mistake.start}{'^' * max(1, mistake.end - mistake.start)}"
            ) from mistake

    def documents(self, job: CommandContext, options: Options) -> Iterator[Report]:
        """One for each record, then the count."""
        folder = job.scratch / "results"
        if len(options["paths"]) == 1 and is_result_folder(options["paths"][0]):
            folder = Path(options["paths"][0])
        else:
            report = answer(lambda: job.inspect(options["paths"], folder))
            if "error" in report:
                yield report
                return
        count = 0
        for row in matching(folder, options["read"], options["limit"]):
            count += 1
            yield {"record": row}
        yield {"count": count}

    def show(self, document: Report, results: IO[str], as_json: bool) -> int:
        """A record is a line; the count goes to stderr."""
        if "count" in document:
            self.stderr.write(f"{plural(document['count'], 'record')} matched.")
            return GOOD
        if "record" not in document:
            return super().show(document, results, as_json)
        from webapp.reports.whole_rows import as_json as members_of

        row = document["record"]
        text = (
            visible_json(json.dumps(members_of(row), ensure_ascii=False))
            if as_json
            else visible(line_of(row))
        )
        print(text, file=results)
        return GOOD


def is_result_folder(path: Path | str) -> bool:
    return isinstance(path, Path) and all((path / name).is_file() for name in ("report.json", "tables.json"))


def matching(folder: Path, record_filter: RecordFilter, limit: int | None) -> Iterator[dict[str, Any]]:
    """Rows of every partition, in the order of topic, partition, replica and offset."""
    from webapp.reports.queries.isolation import IsolationView, seen_by
    from webapp.reports.queries.partitions import PartitionTables, survey
    from webapp.reports.results import open_results

    remaining = limit
    with open_results(folder) as results:
        whole = survey(results)
        for replica in sorted(whole.replicas):
            restricted = seen_by(IsolationView(), results.of(replica))
            for row in rows_of(PartitionTables(restricted.results, replica, whole), record_filter):
                if remaining is not None and remaining <= 0:
                    return
                yield row
                remaining = None if remaining is None else remaining - 1


def rows_of(partition: PartitionTables, record_filter: RecordFilter) -> Iterator[dict[str, Any]]:
    """Rows of one partition, portion by portion."""
    from webapp.rejected import Rejected
    from webapp.reports.queries.records import RecordPosition, find_offsets
    from webapp.reports.whole_rows import whole

    position, last = RecordPosition(), partition.facts.bounds[1]
    while True:
        try:
            portion = find_offsets(partition, record_filter, partition.facts, position, PORTION)
        except Rejected as rejected:
            raise UnreadableInput(str(rejected)) from rejected
        yield from whole(partition, list(dict.fromkeys(portion.offsets)))
        after = portion.offsets[-1] if len(portion.offsets) >= PORTION else None
        if after is None and portion.searched and portion.searched[1] < last:
            after = portion.searched[1]
        if after is None:
            return
        position = RecordPosition(after)


def line_of(row: dict[str, Any]) -> str:
    """Partition, offset, time, kind, entity, key, value."""
    from webapp.reports.values.bytes_text import one_line

    timestamp_ms = row["timestamp_ms"]
    time = "no time" if timestamp_ms is None else time_of(timestamp_ms)
    key = one_line(None if row["key_is_null"] else bytes(row["key"] or b""))
    value = one_line(None if row["value_is_null"] else bytes(row["value"] or b""), 200)
    partition_name = f"{row['topic']}-{row['partition']}"
    parts = (partition_name, str(row["offset"]), time, row["kind"] or "", row["entity_id"] or "", key, value)
    return "  ".join(column for column in parts if column)


def time_of(timestamp_ms: int) -> str:
    try:
        return (
            (EPOCH + timedelta(milliseconds=timestamp_ms))
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z")
        )
    except OverflowError:
        return str(timestamp_ms)
