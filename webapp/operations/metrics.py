"""What is asked of database, broker and disk when the metrics are read."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator

from django.db.models import Count, Sum
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest, multiprocess
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from webapp import redis_client
from webapp.audit.spool import LIST
from webapp.clusters.models import Watch
from webapp.jobs.models import Job
from webapp.journals.models import Inspection, Repair
from webapp.operations import stage_seconds
from webapp.operations.heartbeats import alive_workers
from webapp.operations.jobs import queue_length
from webapp.operations.storage import site
from webapp.review.models import Finding
from webapp.review.states import SEVERITIES
from webapp.sharing.models import Share

logger = logging.getLogger(__name__)
MAX_JOURNALS = 1000  # with a line of their own; open findings of the others are counted together
OTHERS = "(others)"


def exposition() -> bytes:
    """Metrics of the web processes, then of the installation, in Prometheus' text format."""
    processes: CollectorRegistry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        processes = CollectorRegistry()
        multiprocess.MultiProcessCollector(processes)  # type: ignore[no-untyped-call]
    installation = CollectorRegistry()
    installation.register(Installation())
    return generate_latest(processes) + generate_latest(installation)


class Installation(Collector):
    """Queried at each scrape; a measure that fails is left out and logged."""

    def collect(self) -> Iterable[Metric]:
        for measure in (_runs, _open_findings, _watches, _storage, _share_views, _broker):
            try:
                yield from list(measure())
            except RedisError:
                logger.warning("A part of the metrics is missing: the broker does not answer.")

    def describe(self) -> Iterable[Metric]:
        """Empty, so that registering it runs no queries."""
        return ()


def _runs() -> Iterator[Metric]:
    named: tuple[tuple[str, type[Job]], ...] = (("inspections", Inspection), ("repairs", Repair))
    for name, model in named:
        metric = GaugeMetricFamily(f"journalscope_{name}", f"Rows of {name} by state.", labels=["state"])
        counted = model._default_manager.order_by().values_list("state").annotate(count=Count("pk"))
        for state, count in counted:
            metric.add_metric([state], count)
        yield metric


def _open_findings() -> Iterator[Metric]:
    """By project, journal and severity; journals with the most severe findings are named first."""
    metric = GaugeMetricFamily(
        "journalscope_open_findings",
        "Open causes, those of samples left out.",
        labels=["project", "journal", "topic", "severity"],
    )
    fields = ("project__slug", "journal__name", "topic", "severity")
    counted = Finding.objects.open().order_by().values_list(*fields).annotate(count=Count("pk"))
    named: Counter[tuple[str, str, str, str]] = Counter()
    journals: set[tuple[str, str]] = set()
    for project, journal, topic, severity, count in counted.order_by("rank", "-count", "journal__name"):
        if len(journals) < MAX_JOURNALS:
            journals.add((project, journal))
        is_named = (project, journal) in journals
        named[(project, journal or "", topic, severity) if is_named else (project, OTHERS, "", severity)] += (
            count
        )
    for labels, count in named.items():
        metric.add_metric(labels, count)
    yield metric


def _watches() -> Iterator[Metric]:
    labels = ["cluster", "topic"]
    findings = GaugeMetricFamily(
        "journalscope_watch_open_findings",
        "Open causes in what a watch captured.",
        labels=[*labels, "severity"],
    )
    failures = GaugeMetricFamily("journalscope_watch_failures", "Failed runs in a row.", labels=labels)
    is_on = GaugeMetricFamily("journalscope_watch_on", "1 while the watch is on.", labels=labels)
    ended = GaugeMetricFamily(
        "journalscope_watch_last_capture_seconds", "When its newest capture ended, Unix time.", labels=labels
    )
    watches = list(Watch.objects.select_related("cluster", "last_capture"))
    of_watches = Finding.objects.open().filter(lineage__in=[watch.lineage for watch in watches])
    counted = of_watches.order_by().values_list("lineage", "severity").annotate(count=Count("pk"))
    by_lineage = {(lineage, severity): count for lineage, severity, count in counted}
    for watch in watches:
        values = [watch.cluster.name, watch.topic]
        failures.add_metric(values, watch.failures)
        is_on.add_metric(values, int(watch.is_on))
        if watch.last_capture and watch.last_capture.finished_at:
            ended.add_metric(values, watch.last_capture.finished_at.timestamp())
        for severity in SEVERITIES:
            findings.add_metric([*values, severity], by_lineage.get((watch.lineage, severity), 0))
    yield from (findings, failures, is_on, ended)


def _storage() -> Iterator[Metric]:
    metric = GaugeMetricFamily(
        "journalscope_storage_bytes", "Bytes on disk by what they are.", labels=["kind"]
    )
    for name, value in site().items():
        if name.endswith("_bytes"):
            metric.add_metric([name.removesuffix("_bytes")], value)
    yield metric


def _share_views() -> Iterator[Metric]:
    views = Share.objects.aggregate(total=Sum("views"))["total"] or 0
    yield CounterMetricFamily("journalscope_share_views", "Visits to share links.", value=views)


def _broker() -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "journalscope_queue_messages", "Tasks that no worker took yet.", value=queue_length()
    )
    yield GaugeMetricFamily("journalscope_workers", "Workers alive.", value=len(alive_workers()))
    late = int(redis_client.connection().llen(LIST))
    yield GaugeMetricFamily("journalscope_audit_waiting", "Events that wait for the database.", value=late)
    metric = SummaryMetricFamily(
        "journalscope_stage_seconds", "Seconds of finished stages.", labels=["stage"]
    )
    for stage, (count, seconds) in stage_seconds.read().items():
        metric.add_metric([stage], count, seconds)
    yield metric
