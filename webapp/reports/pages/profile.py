"""Profile: what the records of a topic look like, even when nothing is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from spark.codecs.partitioners import NAMES as PARTITIONERS
from spark.codecs.service_forms import SIDES, service_forms
from spark.tables.replica import PartitionReplica
from webapp.reports.charts import history as chart
from webapp.reports.charts.clock import clock_of
from webapp.reports.figures import figure_response, plot_pixels, theme_of
from webapp.reports.page import Page, report_page
from webapp.reports.pages import CHOICE, RECORD_TABLES, ReportAddress, ReportPage
from webapp.reports.pages._profile_rows import (
    ONE_PARTITION,
    absent_parts,
    entry_types,
    form_rows,
    header_rows,
    looks_framed,
    partition_rows,
    placed,
    schema_rows,
    spread,
    top_keys,
)
from webapp.reports.queries.profile import (
    BINS,
    HAS_REGISTRY,
    HASHED_BYTES,
    HEADERS_READ,
    TOP,
    TopicProfile,
    partitioner_of,
    profile_of,
)
from webapp.reports.queries.profile.topic_tables import TopicTables, copies_of, topic_tables
from webapp.reports.queries.timeline.axis import DAY, HOUR, bin_name, bin_width
from webapp.reports.queries.transactions import hidden_from
from webapp.reports.results import replica_query

HOURLY = range(6 * HOUR, 10 * DAY)  # of a longer or shorter time the bins are those of a timeline
LAST_MS = 253_402_300_799_999  # the end of 9999: no calendar goes on
UNITS = {"1 ms": "millisecond", "1 s": "second", "1 min": "minute", "1 h": "hour", "1 d": "day"}


@dataclass(frozen=True)
class Hidden:
    """What a share hides of keys, values and headers; `keys_are_exact`: no byte of a key is replaced."""

    key: bool = False
    value: bool = False
    header_names: bool = False
    keys_are_exact: bool = True

    @classmethod
    def of(cls, page: Page) -> Hidden:
        share = page.source.share
        if share is None:
            return cls()
        hidden = page.source.hidden
        has_header_names = bool(share.options["headers"])
        return cls(
            "key" in hidden,
            "value" in hidden,
            not has_header_names,
            "key" not in hidden and page.source.decodes,
        )


@report_page
def profile(page: Page) -> HttpResponse:
    """The facts of the topic, or of the partition if the address says so."""
    every = topic_tables(page.results, page.survey, page.replica).replicas
    tables = tables_of(page)
    facts, hidden = profile_of(tables), Hidden.of(page)
    replicas = {replica.partition: replica for replica in tables.replicas}
    fit, tested = partitioner_of(tables) if hidden.keys_are_exact else (None, 0)
    width = bins_of(facts)[2]
    return page.render(
        "reports/profile.html",
        {
            "profile": facts,
            "every": every,
            "scopes": scopes(page, every) if len(every) > 1 else [],
            "replicas": replicas,
            "hidden": hidden,
            "figure_url": page.url("report-profile-figure", of=page.request.GET.get("of")),
            "bin": UNITS.get(name := bin_name("time", width), name),
            "sizes": [(f"{side}s".capitalize(), placed(row, replicas)) for side, row in facts.sizes.items()],
            "codecs": (codecs := [row | {"ratio": ratio(row)} for row in facts.codecs]),
            "is_compressed": any(row["ratio"] for row in codecs),
            "forms": form_rows(facts, replicas),
            "schema_ids": schema_rows(page, facts, replicas),
            "looks_framed": looks_framed(facts),
            "has_registry": bool(page.results.rows(HAS_REGISTRY)),
            "headers": header_rows(facts),
            "headers_read": HEADERS_READ,
            "spread": spread(facts),
            "entry_types": entry_types(page, facts, tables.replicas),
            "top": top_keys(page, tables.rows(TOP), replicas),
            "fit": fit,
            "tested": tested,
            "hashed_bytes": HASHED_BYTES,
            "partitioner": PARTITIONERS.get(fit.partitioner, "") if fit else "",
            "lacks": absent_parts(facts),
            "partitions": partition_rows(page, facts, replicas),
            "copies": len(copies_of(page.survey, page.replica.topic)),
            "has_service_forms": any(service_forms(tables.dialect, side) for side in SIDES),
            "corrupt": [placed(row, replicas) for row in facts.corrupt],
            "keys_url": page.url("report-keys"),
            "gaps_at": (gaps_at := replicas.get(facts.absent[0]["partition"]) if facts.absent else None),
            "log_url": page.url("report-log", **replica_query(gaps_at)) if gaps_at else "",
            "stable": (stable := page.options.last_stable_offset),
            "behind": None if stable is None else hidden_from(page.partition, stable),
        },
    )


@report_page
def profile_figure(page: Page) -> HttpResponse:
    """`figure`: records over time; null without timestamps."""
    tables = tables_of(page)
    facts = profile_of(tables)
    first, last, width = bins_of(facts)
    bins = tables.rows(BINS, {"width": width, "first": first, "last": last}) if last >= first else []
    history = chart.RecordHistory(bins, width, first, last)
    clock = clock_of(page.request.GET.get("zone", ""), last)
    pixels = plot_pixels(page.request)
    drawn = chart.figure(history, clock, theme_of(page.request), pixels) if bins else None
    undrawn = facts.totals.get("records", 0) - sum(row["records"] for row in bins)
    notes = [f"{undrawn:,} records without a usable timestamp are not drawn."] if bins and undrawn else []
    return figure_response(page.request, {"figure": drawn, "notes": notes})


def tables_of(page: Page) -> TopicTables:
    """Of the partition of the page, or of one copy of each partition of its topic."""
    if page.request.GET.get("of") == ONE_PARTITION:
        return TopicTables(page.results, (page.replica,))
    return topic_tables(page.results, page.survey, page.replica)


def scopes(page: Page, every: tuple[PartitionReplica, ...]) -> list[tuple[str, str, bool]]:
    """The choice between all partitions and the one of the page: words, address, whether it is chosen."""
    is_one = page.request.GET.get("of") == ONE_PARTITION
    return [
        (f"All {len(every):,} partitions", page.url("report-profile"), not is_one),
        (f"Partition {page.replica.partition}", page.url("report-profile", of=ONE_PARTITION), is_one),
    ]


def bins_of(facts: TopicProfile) -> tuple[int, int, int]:
    """First and last time that is drawn, and the width of a bin: an hour, where that gives a readable figure."""
    first, last = (facts.totals.get(f"{end}_timestamp_ms") for end in ("first", "last"))
    if first is None or last is None or first > LAST_MS:
        return 0, -1, HOUR
    last = min(last, LAST_MS)
    extent = last - first + 1
    return first, last, HOUR if extent in HOURLY else bin_width("time", extent)


def ratio(codec: dict[str, Any]) -> str:
    """`3.2`: bytes of keys and values for one byte of the batches."""
    if not codec["content_bytes"] or not codec["size_bytes"] or codec["codec"] == "none":
        return ""
    return f"{codec['content_bytes'] / codec['size_bytes']:.1f}"


page = ReportPage(
    name="report-profile",
    path="profile/",
    view=profile,
    title="Profile",
    position=46,
    tables=RECORD_TABLES,
    filters={"of": CHOICE},
    read_as="profile.read",
    shared=True,
    further=(
        ReportAddress(
            "report-profile-figure",
            "profile/figure.json",
            profile_figure,
            filters={"of": CHOICE},
            shared=True,
        ),
    ),
)
