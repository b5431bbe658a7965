"""Addresses of a report, below /inspections/<uuid>/report/."""

from __future__ import annotations

from django.urls import path, register_converter
from django.urls.converters import IntConverter, StringConverter

from webapp.reports.views import (
    compare,
    entity,
    files,
    keys,
    log,
    overview,
    pasted_text,
    record,
    records,
    repair,
    state,
    timeline,
    transactions,
    tree,
)


class KeyId(StringConverter):
    """32 hex digits: both halves of the key's hash."""

    regex = "[0-9a-f]{32}"


class Offset(IntConverter):
    """An offset; only damaged data makes it negative."""

    regex = "-?[0-9]{1,18}"


register_converter(KeyId, "key_id")
register_converter(Offset, "offset")

urlpatterns = [
    path("", overview.overview, name="report-overview"),
    path("strip.json", overview.strip, name="report-strip-figure"),
    path("timeline/", timeline.timeline, name="report-timeline"),
    path("timeline/figure.json", timeline.timeline_figure, name="report-timeline-figure"),
    path("keys/", keys.keys, name="report-keys"),
    path("keys/<key_id:key_id>/", keys.key, name="report-key"),
    path("records/", records.records, name="report-records"),
    path("records/<offset:offset>/", record.record, name="report-record"),
    path("records/<offset:offset>/<str:part>.bin", record.record_bytes, name="report-record-bytes"),
    path("state/", state.state, name="report-state"),
    path("state/branch/", tree.branch, name="report-state-branch"),
    path("state/entity/", entity.entity, name="report-entity"),
    path("transactions/", transactions.transactions, name="report-transactions"),
    path("transactions/figure.json", transactions.transactions_figure, name="report-transactions-figure"),
    path("log/", log.log, name="report-log"),
    path("log/figure.json", log.log_figure, name="report-log-figure"),
    path("formats/", log.formats, name="report-formats"),
    path("files/", files.files, name="report-files"),
    path("files/<int:file>/text/", pasted_text.text, name="report-text"),
    path("repair/", repair.repair, name="report-repair"),
    path("repair/older/", repair.older, name="report-repair-older"),
    path("repair/start/", repair.start, name="report-repair-start"),
    path("repair/<uuid:repair_id>/", repair.result, name="report-repair-result"),
    path("repair/<uuid:repair_id>/state/", repair.fragment, name="report-repair-state"),
    path("repair/<uuid:repair_id>/cancel/", repair.cancel, name="report-repair-cancel"),
    path("repair/<uuid:repair_id>/again/", repair.again, name="report-repair-again"),
    path("repair/<uuid:repair_id>/files/<path:name>", repair.download, name="report-repair-file"),
    path("compare/", compare.compare, name="report-compare"),
    path("compare/<uuid:other_id>/", compare.comparison, name="report-comparison"),
    path("compare/<uuid:other_id>/start/", compare.start, name="report-comparison-start"),
    path("compare/<uuid:other_id>/state/", compare.fragment, name="report-comparison-state"),
]
