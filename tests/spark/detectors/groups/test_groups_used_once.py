"""Groups that a program makes at each start, and pools of groups."""

from __future__ import annotations

import pytest

from spark.detectors.groups.groups_used_once import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.groups import Member, Pair, commit, generation
from tests.spark.detectors.groups.coordinator_logs import findings, rows_of


def found(*records: Pair) -> list[Finding]:
    return findings(detector, *rows_of(*enumerate(records)))


def start(group: str) -> Pair:
    return generation(group, 1, Member("m1"))


@pytest.mark.parametrize(("count", "found_count"), [(99, 0), (100, 1)])
def test_a_hundred_groups_of_one_prefix_that_are_used_once_are_found(count: int, found_count: int) -> None:
    assert len(found(*(start(f"report-{number}") for number in range(count)))) == found_count


@pytest.mark.parametrize(
    "name",
    ["console-consumer-{:05d}", "app-{:08x}-1f3e-4be5-9a2b-0c1d2e3f4a5b", "job_{:012x}", "load.{:d}.{:d}"],
    ids=["a number", "a UUID", "hexadecimal", "two numbers"],
)
def test_prefixes_end_before_what_changes(name: str) -> None:
    (finding,) = found(*(start(name.format(number * 7919, number)) for number in range(120)))
    prefix = name.partition("{")[0].rstrip("-_.")
    assert f"120 groups under {prefix} are used once" in finding.title
    assert (finding.severity, len(finding.evidence)) == ("medium", 5)


def test_commits_are_signs_of_life_and_a_pool_is_innocent() -> None:
    pool = [f"worker-{number}" for number in range(120)]
    rounds = [commit(group, "orders", 0, at, 0) for at in range(5) for group in pool]
    assert found(*map(start, pool), *rounds) == []


def test_a_pool_that_starts_together_is_innocent() -> None:
    others = [commit("other", "orders", 0, at, 0) for at in range(3000)]
    assert found(*(start(f"worker-{number}") for number in range(120)), *others) != []
    early = [start(f"worker-{number}") for number in range(119)]
    assert found(*early, *others, start("worker-119")) == []


def test_groups_under_other_prefixes_do_not_add_up() -> None:
    names = [f"{team}-{number}" for number in range(60) for team in ("a", "b")]
    assert found(*map(start, names)) == []


def test_the_headline_names_the_partition() -> None:
    every = found(*(start(f"report-{number}") for number in range(120)))
    assert (
        plain(detector.headline(every)) == "programs make a new group at each start in __consumer_offsets-0"
    )
