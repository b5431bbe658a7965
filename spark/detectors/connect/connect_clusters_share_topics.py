"""Connect clusters share topics: workers of two groups report in one status topic, each with generations that rise.

Innocent: one series of generations; a worker that keeps an old one (zombie-worker); a group that began again at generation 1.
Page: docs/detectors/connect-clusters-share-topics.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.connect._two_clusters import CLUSTERS
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, listed, plural

OFFSETS_NAMED = 10


def describe(row: Row) -> Finding:
    offsets = list(row["offsets"])
    tasks, connectors = list(row["tasks"] or ()), list(row["connectors"] or ())
    lower, higher = (listed(map(marked.name, row[side])) for side in ("lower", "higher"))
    entity_type, names = ("task", tasks) if tasks else ("connector", connectors)
    doubled = plural(len(names), entity_type)
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("at_risk", entity_type, names),
        title=f"Two Connect clusters use {marked.topic(row['topic'])}: {doubled} {'runs' if len(names) == 1 else 'run'} in both",
        explanation=(
            f"{lower} {'reports' if len(row['lower']) == 1 else 'report'} generations {marked.number(row['lower_first'])} to "
            f"{marked.number(row['lower_last'])}, and {higher} generations {marked.number(row['higher_first'])} to "
            f"{marked.number(row['higher_last'])}. They alternate, for example at {at_offsets(offsets[:OFFSETS_NAMED])}, and both series "
            "increase. The workers of one cluster always have the same generation, and a worker that lost its group keeps its generation. So "
            "these are two groups. Each runs all connectors: source connectors write records twice, sink connectors write them twice or compete "
            "for partitions. The clusters overwrite each other's configs, offsets and status."
        ),
        **located(row, *offsets),
        entity="connect-clusters",
        evidence=offsets[:50],
        remedy=detector.remedy(workers=lower, other_workers=higher),
        references=detector.references,
        entities={*(f"task:{name}" for name in tasks), *(f"connector:{name}" for name in connectors)},
    )


detector = Detector(
    id="connect-clusters-share-topics",
    title="Two Connect clusters share their topics",
    find=query(CLUSTERS),
    describe=describe,
    headline=clause("records can be written twice: two Connect clusters share {count}", "topic"),
    rows_of="entries",
    dialects=("connect",),
    one_cause="topic",
)
