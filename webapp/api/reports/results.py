"""Result tables of a finished inspection, opened for whoever may see them: the one door of the API to `webapp.reports`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from spark.tables import TABLES
from spark.tables.replica import PartitionReplica, replica_of
from webapp.api.journals.progress import finished
from webapp.api.rest.etags import etag_of
from webapp.api.rest.resource import Resource
from webapp.reports.queries.isolation import IsolationView, seen_by
from webapp.reports.results import AT_OFFSETS, WHERE_REPLICA, PartitionResults, Rows, open_results
from webapp.reports.results import Results as ResultTables

__all__ = [
    "AT_OFFSETS",
    "TABLES",
    "WHERE_REPLICA",
    "IsolationView",
    "PartitionResults",
    "ResultTables",
    "Rows",
    "open_results",
    "seen_by",
]


class ResultsResource(Resource):
    """Reads of result tables, which never change once written: 304 when the caller has them."""

    @contextmanager
    def results_of(self, inspection_id: UUID) -> Iterator[ResultTables]:
        """Open tables; the answer is tagged by them."""
        inspection = finished(self.request.user, inspection_id)
        with open_results(inspection.results) as results:
            self.tag(etag_of(inspection.pk, results.version, results.document.get("schema")))
            yield results


def replicas_in(results: ResultTables, table: str, params: dict[str, Any]) -> list[PartitionReplica]:
    """Replicas of partitions that have rows in the table, by name; those that the address asks for."""
    sql = f'SELECT DISTINCT "topic", "partition", "replica" FROM {table} ORDER BY ALL'

    def read() -> list[PartitionReplica]:
        return [replica_of(row) for row in results.rows(sql)]

    replicas: list[PartitionReplica] = results.remembered(("places of", table), read)
    named = {name: params[name] for name in ("topic", "partition", "replica") if name in params}
    return [
        replica
        for replica in replicas
        if all(getattr(replica, name) == value for name, value in named.items())
    ]
