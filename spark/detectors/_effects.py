"""Effects in the forms that detectors share: on a partition, on records of it, on entities of one type."""

from __future__ import annotations

from collections.abc import Iterable

from spark.tables.replica import Row
from spark.terms.findings import Effect, Kind, When, Whom

MAX_EFFECTS = 200  # of one finding; the finding's text counts them all


def on_partition(kind: Kind, topic: str, partition: int | None, whom: Whom) -> list[Effect]:
    """What has happened to a whole partition; without a number, to its topic."""
    if partition is None:
        return [Effect(kind, "topic", topic, whom=whom)]
    return [Effect(kind, "partition", f"{topic}-{partition}", whom=whom)]


def on_records(
    kind: Kind, row: Row, offsets: Iterable[int], when: When = "already", whom: Whom = "service"
) -> list[Effect]:
    """What happens to records, `orders-0/12` the one at offset 12."""
    partition = f"{row['topic']}-{row['partition']}"
    return on_entities(kind, "record", [f"{partition}/{offset}" for offset in offsets], when, whom)


def on_entities(
    kind: Kind, entity_type: str, ids: Iterable[object], when: When = "already", whom: Whom = "service"
) -> list[Effect]:
    """What happens to entities of one type, each once."""
    names = list(dict.fromkeys(str(identity) for identity in ids if identity is not None))[:MAX_EFFECTS]
    return [Effect(kind, entity_type, name, when, whom) for name in names]
