"""Puts the names of a finished report into the index, and those of older reports that are not in it yet.

A journal has at most `MAX_OF_A_KIND` entities, keys and partitions here, those with the most records first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery

from spark.tables.replica import replica_of
from spark.terms.marked import partition_name
from spark.terms.wording import type_name
from webapp.journals.models import Inspection, Journal
from webapp.reports.queries.keys import key_id
from webapp.reports.queries.partitions import survey
from webapp.reports.results import Results, ResultsGone, open_results
from webapp.reports.values.bytes_text import one_line
from webapp.search.models import MAX_CHARACTERS, MAX_SHORT, IndexedName, IndexedPartition, IndexedReport

logger = logging.getLogger(__name__)

MAX_OF_A_KIND = 1000
AT_ONCE = 500  # rows per statement
CAUGHT_UP_AT_ONCE = 50  # reports per round of housekeeping
# hashes that a user may have at hand: the contentHash of a registry, for one
HASH = "[0-9a-f]{32,64}"
ENTITIES = f"""
SELECT topic, "partition", replica, entity_type, entity_id, count(*) AS records,
       max(valid_from_offset) AS last_offset,
       regexp_extract_all(arg_max(attributes, valid_from_offset), '{HASH}') AS hashes, count(*) OVER () AS names
FROM (
    SELECT topic, "partition", replica, entity_type, entity_id, attributes, valid_from_offset
    FROM state WHERE is_own AND view = 'log'
    UNION ALL
    SELECT topic, "partition", replica, entity_type, entity_id, NULL, "offset" FROM refusals WHERE is_own AND view = 'log'
)
WHERE entity_id <> '' GROUP BY topic, "partition", replica, entity_type, entity_id
ORDER BY records DESC, last_offset DESC, entity_id LIMIT {MAX_OF_A_KIND}
"""
KEYS = f"""
SELECT topic, "partition", replica, "key", key_hash_1, key_hash_2, entry_type, last_offset, count(*) OVER () AS names
FROM keys ORDER BY versions + tombstones DESC, last_offset DESC, key_hash_1 LIMIT {MAX_OF_A_KIND}
"""
# What the newest record of each key is about, where its service says that.
NAMED_KEYS = f"""
SELECT k.*, e.entity_id FROM ({KEYS}) AS k LEFT JOIN (
    SELECT topic, "partition", replica, "offset", any_value(entity_id) AS entity_id FROM entries
    WHERE "offset" IN (SELECT last_offset FROM ({KEYS})) GROUP BY ALL
) AS e ON (e.topic, e."partition", e.replica, e."offset") IS NOT DISTINCT FROM (k.topic, k."partition", k.replica, k.last_offset)
"""


def index_report_logged(inspection: Inspection) -> None:
    """For who has a report to keep: what goes wrong here is logged, and housekeeping tries once more."""
    try:
        index_report(inspection)
    except (ResultsGone, IntegrityError, Inspection.DoesNotExist):
        logger.warning("The names of inspection %s are not searched: it no longer exists.", inspection.pk)
    except Exception:
        logger.exception("The names of inspection %s could not be indexed.", inspection.pk)


def index_report(inspection: Inspection) -> None:
    """The names of this report in place of those of the journal's earlier one."""
    with open_results(inspection.results) as results:
        entities, keys = _entities(results), _keys(results)
        rows = [*map(_of_entity, entities), *map(_of_key, keys)]
        partitions = list(_partitions(results))
    total = sum(group[0]["names"] for group in (entities, keys) if group)
    with transaction.atomic():
        newest = done_of(inspection.journal_id).order_by("-created_at").first()
        if newest is not None and newest.pk != inspection.pk:
            return
        IndexedReport.objects.filter(journal=inspection.journal_id).delete()
        report = IndexedReport.objects.create(
            journal_id=inspection.journal_id,
            inspection=inspection,
            names=total,
            indexed=len(entities) + len(keys),
        )
        for name in rows:
            name.report = report
        for partition in partitions:
            partition.report = report
        IndexedPartition.objects.bulk_create(partitions, batch_size=AT_ONCE)
        IndexedName.objects.bulk_create(rows, batch_size=AT_ONCE)


def catch_up() -> int:
    """Index newest reports that are not: older than the index, or their worker failed at it. Each is tried once."""
    newest = done_of(OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    journals = Journal.objects.annotate(newest_done=Subquery(newest)).exclude(newest_done=None)
    pairs = journals.order_by("-created_at").values_list("newest_done", "indexed_report__inspection")
    missed = [pk for pk, indexed in pairs if pk != indexed and pk not in _in_vain]
    chosen = missed[:CAUGHT_UP_AT_ONCE]
    for inspection in Inspection.objects.filter(pk__in=chosen):
        index_report_logged(inspection)
    stored = IndexedReport.objects.filter(inspection__in=chosen).values_list("inspection", flat=True)
    _in_vain.update(set(chosen) - set(stored))
    return len(chosen)


_in_vain: set[UUID] = set()


def done_of(journal: Any) -> Any:
    """Finished inspections of a journal."""
    return Inspection.objects.filter(journal=journal, state=Inspection.State.DONE)


def folded(text: str) -> str:
    """For comparison: no case, single spaces."""
    return " ".join(text.casefold().split())


def _entities(results: Results) -> list[dict[str, Any]]:
    return list(results.rows(ENTITIES)) if results.count("state") + results.count("refusals") else []


def _keys(results: Results) -> list[dict[str, Any]]:
    return list(results.rows(NAMED_KEYS)) if results.count("keys") else []


def _partitions(results: Results) -> Iterator[IndexedPartition]:
    of_survey = survey(results)
    for replica in of_survey.replicas[:MAX_OF_A_KIND]:
        facts = of_survey.facts[replica]
        name = partition_name(replica.topic, replica.partition)
        yield IndexedPartition(
            name=_fitting(name),
            text=_fitting(folded(name)),
            topic=_stored(replica.topic)[:255],
            partition=replica.partition,
            replica=_stored(replica.replica),
            first_offset=facts.first_offset,
            last_offset=facts.last_offset,
        )


def _of_entity(row: dict[str, Any]) -> IndexedName:
    name = f"{type_name(row['entity_type'])} {row['entity_id']}"
    searched = [name, *dict.fromkeys(row["hashes"] or ())]
    return IndexedName(
        kind=IndexedName.Kind.ENTITY,
        name=_fitting(name),
        text=_fitting(folded(" ".join(searched))),
        short=_fitting(folded(row["entity_id"]))[:MAX_SHORT],
        type=row["entity_type"][:100],
        ident=_stored(row["entity_id"]),
        **_where(row),
    )


def _of_key(row: dict[str, Any]) -> IndexedName:
    raw = one_line(row["key"], MAX_CHARACTERS)
    name = f"{row['entry_type']} {row['entity_id']}" if row["entry_type"] and row["entity_id"] else raw
    return IndexedName(
        kind=IndexedName.Kind.KEY,
        name=_fitting(name),
        text=_fitting(folded(raw if name == raw else f"{name} {raw}")),
        short=_fitting(folded(raw))[:MAX_SHORT],
        type=(row["entry_type"] or "")[:100],
        ident=key_id(row["key_hash_1"], row["key_hash_2"]),
        **_where(row),
    )


def _where(row: dict[str, Any]) -> dict[str, Any]:
    replica = replica_of(row)
    return {
        "topic": _stored(replica.topic)[:255],
        "partition": replica.partition,
        "replica": _stored(replica.replica),
    }


def _fitting(text: str) -> str:
    return _stored(text)[:MAX_CHARACTERS]


def _stored(text: str) -> str:
    """Names come from damaged bytes: what no database stores becomes a mark."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{SYMBOL FOR NULL}")
