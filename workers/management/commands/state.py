"""`manage.py state PATH...`: what the service holds that reads this journal, at its end or at an offset."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from spark.report.calm_verdict import numbered_partitions
from spark.report.report_text import printed_name
from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from spark.terms.wording import at_record
from workers.management.base import HeadlessCommand, Options, add_dialect
from workers.management.inspecting import CommandContext, Report

if TYPE_CHECKING:
    from spark.tables import Manifest


class Command(HeadlessCommand):
    help = "Print the service's state after it has read the journal; all PATHs together are one input."
    name_a_path = (
        f"Name a journal: {COMMAND_NAME} state PATH... (dumps, log segments, partition folders, archives)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_dialect(parser)
        parser.add_argument("--at", type=int, metavar="OFFSET", help="as of this offset instead of the end")
        cleaned = parser.add_mutually_exclusive_group()
        cleaned.add_argument(
            "--after-compaction",
            dest="view",
            action="store_const",
            const="full",
            help="of the log after compaction is complete: the newest value of each key, no tombstones",
        )
        cleaned.add_argument(
            "--after-next-cleaning",
            dest="view",
            action="store_const",
            const="next",
            help="of the log after the next compaction: the newest record of each key",
        )
        parser.add_argument(
            "--profile", metavar="NAME", help="as this service reads the journal, such as confluent"
        )
        parser.add_argument(
            "--after-start",
            nargs="?",
            const="",
            metavar="RELEASE",
            help="after the service's next start (Apicurio Registry 2.x; the newest release unless you name one, such as "
            "2.5.8), including the records that it writes; with --after-compaction, after the start, compaction and another start",
        )

    def document(self, job: CommandContext, options: Options) -> Report:
        from spark.stages.state_at import latest_values, state_at
        from spark.tables import Manifest

        folder = job.scratch / "results"
        report = job.inspect(options["paths"], folder)
        if options["after_start"] is not None:
            return after_start(report, Manifest.load(folder), options)
        entities = state_at(
            Manifest.load(folder), options["at"], options["profile"], options["view"] or "log"
        )
        keys = [
            row | {name: text_of(row[name]) for name in ("key", "value")}
            for row in latest_values(Manifest.load(folder), options["at"])
        ]
        text = [
            *(lines(entities, report["coverage"]) if entities or not keys else ()),
            *key_lines(keys, report["coverage"]),
        ]
        return {"entities": entities, "keys": keys, "text": "\n".join(text)}


def after_start(report: Report, manifest: Manifest, options: Options) -> Report:
    """What the service writes at its next start, and what it holds then."""
    from spark.dialects import ReleaseCannotStart
    from spark.simulation.starting import NoStart, after_start_of

    if options["at"] is not None or options["view"] == "next":
        raise UnreadableInput("A start reads the whole journal: leave --at and --after-next-cleaning out.")
    try:
        document = after_start_of(report, manifest, options["after_start"], options["view"] == "full")
    except (NoStart, ReleaseCannotStart) as problem:
        raise UnreadableInput(str(problem)) from problem
    writes = [f"  {write['what']}: {write['why']}" for write in document["writes"]]
    text = [
        f"{document['service']} writes at its start, in this order:",
        *writes,
        "",
        "State after this start:",
    ]
    return document | {"text": "\n".join([*text, *lines(document["entities"], report["coverage"])])}


def key_lines(keys: list[dict[str, Any]], coverage: Report) -> Iterator[str]:
    """The keys of each partition that no service replays, one a line: its latest value and the record that set it."""
    for (topic, partition), rows in groupby(keys, key=lambda row: (row["topic"], row["partition"])):
        yield f"{printed_name(f'{topic}-{partition}', coverage)}: the latest value of each key"
        yield from (
            f"  {row['key']}  {row['value']}  ({located(row, row['offset'], coverage)})" for row in rows
        )


def located(row: dict[str, Any], offset: int, coverage: Report) -> str:
    """A record's offset, or its number in a print without offsets."""
    is_numbered = f"{row['topic']}-{row['partition']}" in numbered_partitions(coverage)
    return at_record(offset, is_numbered)


def text_of(data: bytes | None) -> str:
    r"""Text of UTF-8 bytes; other bytes as `\xNN`."""
    return bytes(data or b"").decode("utf-8", "backslashreplace")


def lines(entities: list[dict[str, Any]], coverage: Report) -> list[str]:
    """One entity a line: what it is, its name, what it is like, the record that set it."""
    if not entities:
        return ["Nothing: after reading this journal, the service has no entity."]
    return [
        f"{row['entity_type']}  {row['entity_id']}  "
        + " ".join(f"{name}={value}" for name, value in row["attributes"].items())
        + (
            f"  ({located(row, row['origin_offset'], coverage)})"
            if row.get("origin_offset") is not None
            else ""
        )
        for row in entities
    ]
