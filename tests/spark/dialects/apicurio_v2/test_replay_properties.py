"""Random legal histories replay to what the clients did, however far the cleaner came, or compaction-loss says so."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from spark.detectors.apicurio import (
    content_null_update,
    dangling_content_hash,
    deletion_compacted_away,
    id_collision,
    sequence_underflow,
    update_without_create,
)
from spark.detectors.compaction import compaction_loss
from spark.dialects.apicurio_v2 import dialect
from tests.generator.journal import Journal, Stored
from tests.spark.apicurio_journals import generated
from tests.spark.apicurio_views import views
from tests.spark.registry_histories import Clients, State, cleaned
from tests.spark.replays import replayed

STEPS = 60
CUTS = 6
TOLD = ("artifact", "version", "group", "global-rule", "artifact-rule", "comment")


def told(stored: list[Stored], wanted: State) -> State:
    """What the replay holds at the end, with the members that the clients know."""
    state, _ = replayed(dialect, dialect.interpret(generated(Journal("kafkasql-journal", 0, stored))))  # type: ignore[misc]
    held: dict[str, dict[str, Any]] = {
        f"{row['entity_type']} {row['entity_id']}": json.loads(row["attributes"])
        for row in state.to_pylist()
        if row["valid_to_offset"] is None and row["entity_type"] in TOLD
    }
    return {name: {key: held[name].get(key) for key in wanted.get(name, held[name])} for name in held}


def known(clients: Clients) -> State:
    """What the clients brought about."""
    return {name: {k: v for k, v in value.items() if k != "of"} for name, value in clients.state.items()}


def cuts(stored: list[Stored], seed: int) -> list[list[Stored]]:
    """What some runs of the cleaner leave, the last one of the whole log."""
    rng = Random(seed)
    places = [*(rng.randrange(len(stored)) for _ in range(CUTS)), len(stored)]
    return [cleaned(stored, place, rng.random() < 0.5) for place in places]


@pytest.mark.parametrize("seed", range(8))
def test_careful_clients_get_what_they_did_however_far_the_cleaner_came(seed: int) -> None:
    clients = Clients(seed, careful=True)
    stored = clients.live(STEPS)
    assert told(stored, known(clients)) == known(clients)
    for left in cuts(stored, seed):
        assert told(left, known(clients)) == known(clients)
    tables = views(generated(Journal("kafkasql-journal", 0, stored)))
    assert list(compaction_loss.detector.find(tables)) == []


@pytest.mark.parametrize("seed", range(12))
def test_where_the_cleaner_changes_the_state_compaction_loss_has_said_so(seed: int) -> None:
    clients = Clients(seed, careful=False)
    stored = clients.live(STEPS)
    assert told(stored, known(clients)) == known(clients)
    differs = any(told(left, known(clients)) != known(clients) for left in cuts(stored, seed))
    said = list(compaction_loss.detector.find(views(generated(Journal("kafkasql-journal", 0, stored)))))
    assert bool(said) or not differs
    whole = cleaned(stored, len(stored), keeps_tombstones=False)
    assert bool(said) == (told(whole, known(clients)) != known(clients))


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(8))
def test_no_detector_objects_to_careful_clients_before_or_after_cleaning(seed: int) -> None:
    stored = Clients(seed, careful=True).live(STEPS)
    modules = (
        content_null_update, dangling_content_hash, deletion_compacted_away, id_collision, sequence_underflow,
        update_without_create,
    )  # fmt: skip
    for left in (stored, *cuts(stored, seed)[-2:]):
        tables = views(generated(Journal("kafkasql-journal", 0, left)))
        said = [
            module.detector.describe(row).title for module in modules for row in module.detector.find(tables)
        ]
        assert said == []
