"""What is asked of database, broker and disk when the metrics are read."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator

from django.db.models import Count, Sum
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest, multiprocess
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from webapp import redis_client
from webapp.audit.spool import LIST
from webapp.jobs.models import Job
from webapp.journals.models import Inspection, Repair
from webapp.operations import stage_seconds
from webapp.operations.heartbeats import alive_workers
from webapp.operations.jobs import queue_length
from webapp.operations.storage import site
from webapp.sharing.models import Share

logger = logging.getLogger(__name__)


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
        for measure in (_runs, _storage, _share_views, _broker):
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
