"""What goes in bulk comes to the rows that the reader alone would write."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from spark.dialects import replay_all
from spark.dialects._history import History, ReplayRun
from spark.dialects.apicurio_v2 import dialect
from spark.dialects.apicurio_v2.bulk import bulk
from spark.dialects.apicurio_v2.replay import replay, replay_bulk
from spark.tables.replica import PartitionReplica
from tests.generator import long_apicurio
from tests.generator.journal import Journal, Stored
from tests.generator.registry import CONTENT
from tests.spark.apicurio_journals import CORPUS, envelopes, generated, records_of
from tests.spark.dialects.apicurio_v2.special_records import (
    FIRST,
    FIRST_MADE,
    SECOND,
    SPECIAL,
    STAYS,
    Parts,
    made,
    odd_record,
    usual_record,
    written,
)
from tests.spark.registry_histories import Clients, cleaned

Rows = dict[str, Counter[tuple[Any, ...]]]
PORTION_ROWS = 100
MAX_PREFIXES = 4


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories reach from one batch into another."""
    monkeypatch.setattr("spark.dialects._bulk.BATCH_ROWS", PORTION_ROWS)


def in_portions(entries: pa.Table) -> list[pa.Table]:
    """The entries as the replay stage hands them on."""
    return [entries.slice(start, PORTION_ROWS) for start in range(0, entries.num_rows, PORTION_ROWS)]


def replayed(entries: pa.Table, replay: Callable[[list[pa.Table], History], None]) -> tuple[Any, ...]:
    """Rows in any order, whether deletions are heeded, and the records that a start writes null for."""
    rows: Rows = {"state": Counter(), "refusals": Counter()}

    def write(table: str, portion: pa.Table) -> None:
        rows[table].update(tuple(row.values()) for row in portion.to_pylist())

    history = History(ReplayRun(PartitionReplica("kafkasql-journal", 0, "")), write)
    replay(in_portions(entries), history)
    history.finish()
    return rows, history.heeds_deletions, history.nulled


def bulk_share(entries: pa.Table) -> float:
    """Both ways say the same; the share of entries that the reader need not take."""
    found = bulk(in_portions(entries))
    if found is None or not entries.num_rows:
        return 0.0
    by_bulk = replayed(entries, lambda portions, history: replay_bulk(portions, history, found))
    assert by_bulk == replayed(entries, replay)
    return 1 - len(found.remaining) / entries.num_rows


def entries_of(records: Iterable[Parts]) -> pa.Table:
    """The records at offsets 0, 1, ... as entries."""
    return dialect.interpret(records_of((offset, *parts) for offset, parts in enumerate(records)))  # type: ignore[misc]


@pytest.mark.parametrize("case", SPECIAL)
def test_special_records_beside_plain_ones(case: str) -> None:
    bulk_share(entries_of([*STAYS, *SPECIAL[case]]))
    bulk_share(entries_of([*SPECIAL[case], *STAYS]))


@pytest.mark.parametrize("case", ["a start of 2.5.9", "a rule made again"])
def test_many_entries_go_the_way_that_fits(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.dialects._bulk.FEW_ENTRIES", 1)
    entries = entries_of([*STAYS, *SPECIAL[case]])
    rows = replayed(entries, lambda portions, history: replay_all(dialect, portions, [history]))
    assert rows == replayed(entries, replay)


def test_what_the_last_delete_cleans_up_is_the_readers() -> None:
    emptied = [*FIRST_MADE, written(3, FIRST, 3), made(SECOND, 2, contentHash="hash-1")]
    assert bulk_share(entries_of(emptied)) == 0
    assert bulk_share(entries_of([*emptied, *STAYS])) > 0


@pytest.mark.parametrize("oddness", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("seed", range(2))
def test_any_records(seed: int, oddness: float) -> None:
    random = Random(f"{seed} {oddness}")
    records = [
        (odd_record if random.random() < oddness else usual_record)(random, number) for number in range(150)
    ]
    bulk_share(entries_of([*STAYS, *records]))


def changed(random: Random, records: list[Parts], changes: int) -> list[Parts]:
    """A legal history with some records lost, doubled or swapped, and others in between that name what it names."""
    records = list(records)
    hashes = [json.loads(key[1:])["contentHash"].encode() for key, _ in records if key[0] == CONTENT]
    for place in sorted(random.sample(range(len(records)), changes), reverse=True):
        key, value = odd_record(random, random.randrange(60))
        further = named_after(random, hashes, key), value and named_after(random, hashes, value)
        both = records[place : place + 2]
        ways = [both[1:], [*both, both[0]], both[::-1], [further, *both], [further, *both]]
        records[place : place + 2] = random.choice(ways)
    return records


def named_after(random: Random, hashes: list[bytes], text: bytes) -> bytes:
    """A key or value with other hashes."""
    return re.sub(rb"hash-\d+", lambda _: random.choice(hashes), text)


@pytest.mark.parametrize("is_careful", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_legal_histories_whole_and_cleaned(seed: int, is_careful: bool) -> None:
    random, log = Random(seed), Clients(seed, is_careful).live(60)
    assert bulk_share(interpreted(log)) > 0.2
    left = cleaned(log, random.randrange(len(log)), random.random() < 0.5)
    assert bulk_share(interpreted(left)) > 0.2


@pytest.mark.parametrize("seed", range(12))
def test_legal_histories_with_changes(seed: int) -> None:
    random = Random(seed)
    records = [(each.record.key, each.record.value) for each in Clients(seed, seed % 2 == 0).live(60)]
    bulk_share(entries_of(changed(random, records, 1 + seed % 5)))  # type: ignore[arg-type]


def interpreted(records: list[Stored]) -> pa.Table:
    """The entries of a history."""
    return dialect.interpret(generated(Journal("kafkasql-journal", 0, records)))  # type: ignore[misc]


def test_a_long_life_goes_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_apicurio, "ALIVE", 20)
    assert bulk_share(entries_of(long_apicurio.journal(2_000))) > 0.95


def real_journals() -> list[str]:
    """Real journals of 2.x; one that says nothing where the corpus is absent."""
    found = CORPUS.glob("**/kafkasql-journal*.base64.ndjson")
    return sorted(str(path.relative_to(CORPUS)) for path in found if "v3" not in str(path)) or ["absent"]


@pytest.mark.parametrize("journal", real_journals())
def test_real_journals_and_their_prefixes(journal: str) -> None:
    if not CORPUS.joinpath(journal).exists():
        pytest.skip("the corpus of real journals is not beside the repository")
    entries = dialect.interpret(envelopes(CORPUS / journal))  # type: ignore[misc]
    ends = range(1, entries.num_rows + 1)
    for end in sorted(Random(journal).sample(ends, min(MAX_PREFIXES, len(ends)))):
        bulk_share(entries.slice(0, end))
    bulk_share(entries)
