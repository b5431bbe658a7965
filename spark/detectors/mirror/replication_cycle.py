"""Replication cycle: MirrorMaker copies topics that are copies of themselves, so that an alias repeats in their names (a.b.a.orders).

Told by names in offset syncs, checkpoints and commits of groups, of topics in the input and in prints of tools. Innocent: chains of different aliases; names with
dots that are no copies: the repeated part is no alias that MirrorMaker's topics name, and the name without it is no topic.
Page: docs/detectors/replication-cycle.md
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from spark.detectors import Detector, clause
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, plural

NAMED = 3
MAX_NAMES = 100_000
NAMES = f"""
    SELECT name, min(place) AS place FROM (
        SELECT attributes ->> '$.topic' AS name, place FROM (
            SELECT any_value(attributes) AS attributes, any_value({{place}}) AS place FROM entries
            WHERE entry_type IN ('offset-sync', 'checkpoint') AND entity_id LIKE '%.%' GROUP BY topic, entity_id
        )
        UNION ALL SELECT regexp_extract(entity_id, '/([^/]+)/[0-9]+$', 1), NULL FROM (
            SELECT DISTINCT entity_id FROM entries WHERE entry_type = 'offset-commit' AND entity_id LIKE '%.%'
        )
        UNION ALL SELECT topic, {{place}} FROM files WHERE topic LIKE '%.%.%'
        UNION ALL SELECT topic, {{place}} FROM runs WHERE topic LIKE '%.%.%'
        UNION ALL SELECT topic, NULL FROM properties
        UNION ALL SELECT topic, NULL FROM printed
    ) WHERE name IS NOT NULL AND name <> '' GROUP BY name ORDER BY name LIMIT {MAX_NAMES}
""".format(place="struct_pack(topic := topic, partition := partition, replica := replica)")
ALIASES = """
    SELECT DISTINCT unnest(string_split(entity_id, '/')) AS alias FROM entries WHERE entry_type = 'heartbeat'
    UNION SELECT DISTINCT regexp_extract(topic, '^mm2-offset-syncs\\.(.+)\\.internal$', 1) FROM runs
    UNION SELECT DISTINCT regexp_extract(topic, '^(.+)\\.checkpoints\\.internal$', 1) FROM runs
"""
HAS_CYCLE = re.compile(r"(?:^|\.)([^.]+)\.(?:[^.]+\.)*?\1\.")


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per alias that repeats."""
    places = {row["name"]: row["place"] for row in tables.rows(NAMES)}
    suspects = [name for name in places if HAS_CYCLE.search(name)]
    if not suspects:
        return
    aliases = {row["alias"] for row in tables.rows(ALIASES) if row["alias"]}
    cycles: dict[str, list[str]] = defaultdict(list)
    for name in suspects:
        if alias := repeated(name, aliases, places.keys()):
            cycles[alias].append(name)
    for alias, names in sorted(cycles.items()):
        names.sort(key=lambda name: (-name.split(".").count(alias), name))
        replica = next((places[name] for name in names if places[name]), None) or {}
        yield {
            "alias": alias,
            "names": names,
            "times": names[0].split(".").count(alias),
            "topic": replica.get("topic", names[0]),
            "partition": replica.get("partition", 0),
            "replica": replica.get("replica", ""),
        }


def repeated(name: str, aliases: set[str], names: Iterable[str]) -> str | None:
    """The alias that stands twice in front of the name, if it is one; the last part is the topic's own."""
    parts = name.split(".")
    for number, alias in enumerate(parts[:-1]):
        later = [other for other in range(number + 1, len(parts) - 1) if parts[other] == alias]
        if later and (alias in aliases or ".".join(parts[later[0] :]) in names):
            return alias
    return None


def describe(row: Row) -> Finding:
    names, alias = row["names"], marked.name(row["alias"])
    own = row["times"] > 1 and f"{row['alias']}.{row['alias']}." in names[0]
    which = (
        f"The alias follows itself. So the mirror reads the cluster that it writes to: source and target of the mirror {alias} are one cluster."
        if own
        else "Mirrors between clusters copy each other's copies. MirrorMaker recognises a copy by the alias in its name. The mirrors use different "
        "aliases for one cluster."
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        title=f"MirrorMaker copies topics in a cycle: {marked.topic(names[0])} has alias {alias} {marked.number(row['times'])} times",
        explanation=(
            f"{plural(len(names), 'topic name has', 'topic names have')} the alias {alias} more than once, such as "
            f"{listed(marked.topic(name) for name in names[:NAMED])}. {which} Each pass creates topics with longer names and copies all records again, "
            "until the cluster is full or a name is too long."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=None,
        last_offset=None,
        entity=f"alias:{row['alias']}",
        evidence=[],
        remedy=detector.remedy(
            alias=row["alias"], topics=listed(marked.topic(name) for name in names[:NAMED])
        ),
        references=detector.references,
    )


detector = Detector(
    id="replication-cycle",
    title="Topics are mirrored in a cycle",
    find=find,
    describe=describe,
    headline=clause("MirrorMaker copies topics in a cycle ({count})", "alias", "aliases"),
    rows_of=("entries", "files"),
    befalls=("at_risk", "service"),
)
