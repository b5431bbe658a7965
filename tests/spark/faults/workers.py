"""Histories of a Connect cluster (configs, statuses, offsets), and one fault at a random place in each.

The connector `victim` stands in every history and no client touches it; faults happen to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from tests.spark.connect_journals import Pair
from tests.spark.dialects.connect.test_histories import operations, whole_set
from tests.spark.faults.logs import Broken, Log, Parts, log_of

CONFIGS, STATUSES, OFFSETS = "connect-configs", "connect-status", "connect-offsets"
VICTIM = "victim"
WORKERS = ("10.0.0.1:8083", "10.0.0.2:8083", "10.0.0.3:8083")
TRACE = "org.apache.kafka.connect.errors.ConnectException: no route\n\tat org.example.Task.poll(Task.java:1)"
Fault = Callable[[Random], list[Pair]]


def encoded(pair: Pair) -> Parts:
    """Key and value as bytes."""
    key, value = pair
    return (None if key is None else key.encode()), None if value is None else json.dumps(value).encode()


def log(pairs: list[Pair], random: Random) -> Log:
    """These records, seconds to minutes apart."""
    return log_of([encoded(pair) for pair in pairs], random)


def configs(seed: int) -> list[list[Pair]]:
    """What workers write for one request after the other."""
    random = Random(seed)
    written = list(operations(random, 25))
    return [*written[:3], whole_set(VICTIM, 3, 500), *written[3:]]


def statuses(seed: int) -> list[list[Pair]]:
    """Tasks that start, pause, are handed over at a rebalance, and stop with their connector."""
    random, generation = Random(seed), 1
    runs: dict[str, str] = {VICTIM: WORKERS[0]}
    told = [started(VICTIM, WORKERS[0], 1)]
    for _ in range(25):
        name, worker = random.choice("abc"), random.choice(WORKERS)
        if name not in runs:
            runs[name] = worker
            told.append(started(name, worker, generation))
        elif random.random() < 0.2:
            old = runs.pop(name)
            gone = [status(name, number, "UNASSIGNED", old, generation) for number in (0, 1)]
            told.append([*gone, *((key, None) for key, _ in gone), (f"status-connector-{name}", None)])
        elif random.random() < 0.4:
            states = random.choice([("PAUSED", "RUNNING"), ("FAILED", "RESTARTING", "RUNNING")])
            told.append([status(name, 0, state, runs[name], generation) for state in states])
        else:
            generation += 1
            given = [status(name, number, "UNASSIGNED", runs[name], generation) for number in (0, 1)]
            runs[name] = worker
            told.append([*given, *started(name, worker, generation)])
    return told


def started(name: str, worker: str, generation: int) -> list[Pair]:
    """A connector and its two tasks run."""
    whole: Pair = (f"status-connector-{name}", said("RUNNING", worker, generation))
    return [whole, *(status(name, number, "RUNNING", worker, generation) for number in (0, 1))]


def status(name: str, number: int, state: str, worker: str, generation: int) -> Pair:
    return f"status-task-{name}-{number}", said(state, worker, generation)


def said(state: str, worker: str, generation: int) -> dict[str, object]:
    trace = {"trace": TRACE} if state == "FAILED" else {"trace": None}
    return {"state": state, **trace, "worker_id": worker, "generation": generation}


def offsets(seed: int) -> list[list[Pair]]:
    """Where source connectors are; now and then one starts anew."""
    random, positions = Random(seed), dict.fromkeys("xyz", 0)
    told: list[list[Pair]] = []
    for _ in range(40):
        file = random.choice("xyz")
        positions[file] = 0 if random.random() < 0.05 else positions[file] + random.randrange(1, 90)
        key = json.dumps(["a", {"file": file}], separators=(",", ":"))
        told.append([(key, {"position": positions[file]} if positions[file] else None)])
    return told


def killed_worker(random: Random) -> list[Pair]:
    """A new set, of which the last tasks and the commit are missing."""
    return whole_set(VICTIM, 3, 501)[: random.choice([2, 3, 4])]


def commit_of_more(random: Random) -> list[Pair]:
    """A commit that counts a task whose config was never written."""
    return [*whole_set(VICTIM, 3, 502)[:-1], (f"commit-{VICTIM}", {"tasks": 3 + random.randrange(1, 3)})]


def two_workers(random: Random) -> list[Pair]:
    """A worker that was thought dead goes on beside the one that took its task."""
    first = random.choice(WORKERS[1:])
    turns = [(WORKERS[0], 5), (first, 6), (WORKERS[0], 5), (first, 6)]
    return [status(VICTIM, 0, "RUNNING", worker, generation) for worker, generation in turns]


def failed_task(random: Random) -> list[Pair]:
    return [status(VICTIM, random.randrange(2), "FAILED", WORKERS[0], 1)]


History = Callable[[int], list[list[Pair]]]
FAULTS: dict[str, tuple[str, str, History, Fault]] = {
    "killed before its commit": ("connector-incomplete", CONFIGS, configs, killed_worker),
    "commit of more tasks": ("connector-incomplete", CONFIGS, configs, commit_of_more),
    "two workers in turns": ("zombie-worker", STATUSES, statuses, two_workers),
    "failed task": ("task-failed", STATUSES, statuses, failed_task),
}
HISTORIES: dict[str, History] = {CONFIGS: configs, STATUSES: statuses, OFFSETS: offsets}


def legal(topic: str, seed: int) -> Log:
    """A legal history."""
    return log([pair for written in HISTORIES[topic](seed) for pair in written], Random(seed))


def broken(name: str, seed: int) -> tuple[str, Broken]:
    """A history with a fault behind the victim's start, and its topic."""
    detector, topic, history, inject = FAULTS[name]
    random, requests = Random(seed), history(seed)
    place = random.randrange(5, len(requests) + 1)
    before = [pair for written in requests[:place] for pair in written]
    wrong = inject(random)
    pairs = [*before, *wrong, *(pair for written in requests[place:] for pair in written)]
    named = frozenset(range(len(before), len(before) + len(wrong)))
    return topic, Broken(log(pairs, random), named, detector)
