"""Generated journals say what a real registry's say, and the truth that comes with them holds."""

from __future__ import annotations

import hashlib
import json
import struct
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.generator.apicurio import healthy, incident

if TYPE_CHECKING:
    from tests.generator.journal import Stored

SEEDS = [1, 2, 3]


def content_blocks(value: bytes) -> tuple[int, list[bytes]]:
    """Action, and canonical hash, content, references."""
    blocks, position = [], 2
    for _ in range(3):
        (size,) = struct.unpack_from(">i", value, position)
        blocks.append(value[position + 4 : position + 4 + size])
        position += 4 + size
    assert position == len(value)
    return value[1], blocks


def key_members(stored: Stored) -> dict[str, object]:
    return json.loads(stored.record.key[1:])


def contents(stored: list[Stored]) -> list[Stored]:
    return [each for each in stored if each.record.key[0] == 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_seed_gives_the_same_journal(seed):
    assert healthy(seed) == healthy(seed)
    assert healthy(seed) != healthy(seed + 100)
    assert incident(seed, "lost") == incident(seed, "lost")


@pytest.mark.parametrize("seed", SEEDS)
def test_every_content_of_a_healthy_journal_has_its_true_hash(seed):
    journal = healthy(seed, first_content_id=4711)
    for stored in contents(journal.stored):
        action, (canonical_hash, content, references) = content_blocks(stored.record.value)
        assert action in (1, 5)
        assert len(canonical_hash) == 64
        assert hashlib.sha256(content + references).hexdigest() == key_members(stored)["contentHash"]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_artifact_of_a_healthy_journal_stands_after_its_content(seed):
    known: set[object] = set()
    used = 0
    for stored in healthy(seed).stored:
        if stored.record.key[0] == 2:
            known.add(key_members(stored)["contentHash"])
        if stored.record.key[0] == 3:
            value = json.loads(stored.record.value[1:])
            if value["action"] != 3:
                assert value["contentHash"] in known
                used += 1
    assert used >= 20


def test_offsets_and_times_rise_and_every_record_carries_its_request():
    journal = healthy(7, restarts=4)
    assert [each.offset for each in journal.stored] == list(range(len(journal.stored)))
    assert all(a.record.timestamp_ms < b.record.timestamp_ms for a, b in pairwise(journal.stored))
    assert {each.record.headers[0][0] for each in journal.stored} == {b"req"}
    bootstraps = [each for each in journal.stored if each.record.key[0] == 0]
    assert len(bootstraps) == 5
    assert {each.record.value for each in bootstraps} == {None}


def test_ids_start_where_an_import_put_them():
    journal = healthy(3, first_content_id=500)
    ids = [key_members(each)["contentId"] for each in contents(journal.stored)]
    assert ids[:3] == [499, 500, 501]


def test_the_tenant_is_in_every_key_but_the_bootstrap():
    for stored in healthy(2, tenant="acme").stored:
        if stored.record.key[0] != 0:
            assert key_members(stored)["tenantId"] == "acme"


@pytest.mark.parametrize("seed", SEEDS)
def test_at_risk_means_the_content_is_still_there_before_its_empty_update(seed):
    journal = incident(seed, "at_risk", affected_count=2, restarts=2)
    at = {each.offset: each for each in journal.stored}
    assert len(journal.empty_updates) == 2
    for truth in journal.empty_updates:
        assert not truth.is_lost
        assert len(truth.offsets) == 2
        held, first = at[truth.content_offset], at[truth.offsets[0]]
        assert held.record.key == first.record.key
        assert truth.content_offset < min(truth.artifact_offsets) < truth.restart_offset < truth.offsets[0]
        _, (_, content, references) = content_blocks(held.record.value)
        action, (canonical_hash, nothing, kept) = content_blocks(first.record.value)
        assert (action, nothing, kept) == (2, b"", references)
        assert canonical_hash != content_blocks(held.record.value)[1][0]
        assert hashlib.sha256(content + references).hexdigest() == truth.content_hash


@pytest.mark.parametrize("seed", SEEDS)
def test_lost_means_only_the_empty_update_is_left(seed):
    journal = incident(seed, "lost", affected_count=2)
    keys = [each.record.key for each in journal.stored]
    assert len(set(keys)) == len(keys)
    at = {each.offset: each for each in journal.stored}
    for truth in journal.empty_updates:
        assert truth.is_lost
        assert truth.content_offset not in at
        assert content_blocks(at[truth.offsets[-1]].record.value)[1][1] == b""
        assert truth.artifact_offsets
        assert set(truth.artifact_offsets) <= set(at)


def test_seeds_move_the_incident_about():
    places = {incident(seed, "lost").empty_updates[0].offsets for seed in range(8)}
    assert len(places) >= 5


def test_a_restart_after_the_loss_nulls_later_versions():
    seed = next(seed for seed in range(20) if len(incident(seed, affected_versions=3).empty_updates) > 1)
    journal = incident(seed, "lost", affected_versions=3, life_goes_on=True)
    first_versions = [truth for truth in journal.empty_updates if truth.artifact_offsets]
    assert len(first_versions) == 1
    nulls = [each for each in journal.stored if each.record.key[0] == 3 and each.record.value is None]
    assert len(nulls) == len(journal.empty_updates) - 1
