"""Brokers' folders to begin with, as names and bytes: logs with their indexes and checkpoints, real ones as far as they
are there, and records of every dialect.

A folder's partitions get numbers of their own (`orders-3` of the seventh mutant is `orders-703`), in its checkpoints
too: many mutants are inspected together, and none is another's replica.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark import transaction_logs as logs
from tests.spark.hostile_records import REAL, mutant
from tests.spark.mutants.changes import changed

Files = Mapping[str, bytes]
CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"
# Topics that their dialects know by name; other dialects know theirs by its records.
TOPICS = {
    "consumer-offsets": "__consumer_offsets", "transaction-state": "__transaction_state", "cluster-metadata": "__cluster_metadata",
    "share-group-state": "__share_group_state", "remote-log-metadata": "__remote_log_metadata",
    "streams-windows": "till-app-counts-changelog", "streams-suppress": "till-app-buffer-changelog",
    "streams-joins": "till-app-left-shared-join-store-changelog", "streams-versioned": "till-app-prices-changelog",
    "schema-registry": "_schemas", "apicurio-v2": "kafkasql-journal", "apicurio-v3": "kafkasql-journal-3",
}  # fmt: skip
OF_A_BROKER = re.compile(r"\.log$|index$|\.snapshot$|checkpoint$|partition\.metadata$|meta\.properties$")
PARTITION = re.compile(r"^(.+)-(\d+)/")
IN_CHECKPOINT = re.compile(rb"^(\S+) (\d+) (-?\d+)$", re.MULTILINE)
MAX_BYTES = 50_000
MAX_OF_ONE = 100  # partitions' numbers that one mutant may have


@cache
def real() -> dict[str, Files]:
    """Folders of real brokers by their case, and a made one."""
    found = {"made": made()}
    for case in sorted({path.parents[1] for path in CORPUS.glob("**/*-[0-9]*/*.log")}):
        paths = [path for path in case.rglob("*") if path.is_file() and OF_A_BROKER.search(path.name)]
        files = {str(path.relative_to(case)): path.read_bytes() for path in paths}
        if sum(map(len, files.values())) <= MAX_BYTES:
            found[str(case.relative_to(CORPUS))] = files
    return found


def made() -> Files:
    """A topic with transactions of all kinds, its companions and its broker's checkpoints."""
    batches = [
        logs.data(0, 1, keys=b"abc", sequence=0), logs.commit(3, 1), logs.data(4, 2, keys=b"ab", minutes=1, sequence=0), logs.abort(6, 2, minutes=2),
        logs.plain(7, 3), logs.data(8, 1, epoch=1, keys=b"a", minutes=4, sequence=0), logs.emptied(9, 2),
    ]  # fmt: skip
    return {
        "t-0/00000000000000000000.log": b"".join(batches),
        "t-0/00000000000000000000.txnindex": logs.txnindex((2, 4, 6)),
        "t-0/00000000000000000000.index": (3).to_bytes(4, "big") + len(batches[0]).to_bytes(4, "big"),
        "t-0/00000000000000000000.timeindex": SOME_TIME_MS.to_bytes(8, "big") + (3).to_bytes(4, "big"),
        "t-0/00000000000000000010.snapshot": logs.snapshot((1, 8, 8), (2, 6, -1)),
        "t-0/leader-epoch-checkpoint": b"0\n1\n0 0\n",
        "recovery-point-offset-checkpoint": b"0\n1\nt 0 10\n",
        "replication-offset-checkpoint": b"0\n1\nt 0 10\n",
        "cleaner-offset-checkpoint": b"0\n1\nt 0 4\n",
        "log-start-offset-checkpoint": b"0\n1\nt 0 0\n",
    }


def renumbered(files: Files, mutant: int) -> dict[str, bytes]:
    """The partitions under numbers that only this mutant has, below a broker's folder of its own."""
    found = {}
    for name, content in files.items():
        parts = PARTITION.match(name)
        if parts:
            name = f"{parts[1]}-{MAX_OF_ONE * mutant + int(parts[2])}/{name[parts.end() :]}"
        elif name.endswith("checkpoint"):
            content = IN_CHECKPOINT.sub(
                lambda line: b"%b %d %b" % (line[1], MAX_OF_ONE * mutant + int(line[2]), line[3]), content
            )
        found[f"broker-{mutant}/{name}"] = content
    return found


def mutated(random: Random, files: Files) -> dict[str, bytes]:
    """One to three of the files changed; once in a while one is missing or has another's bytes."""
    found = dict(files)
    for _ in range(random.choice((1, 1, 2, 3))):
        name = random.choice(list(found))
        chance = random.random()
        if chance < 0.04 and len(found) > 1:
            del found[name]
        elif chance < 0.08:
            found[name] = found[random.choice(list(found))]
        else:
            found[name] = changed(random, name, found[name])
    return found


def of_records(random: Random) -> dict[str, bytes]:
    """A log of one dialect's records, some of them changed, at times and offsets that may leap."""
    dialect = random.choice(list(REAL))
    begun = REAL[dialect]()[:60]
    mixed = [*begun, *(mutant(random, random.choice(begun)) for _ in range(random.randrange(1, 6)))]
    random.shuffle(mixed)
    offset, now_ms, records = 0, SOME_TIME_MS, []
    for record in mixed:
        headers = [(header["key"], header["value"]) for header in record.get("headers", ())]
        records.append(Record(record["key"], record["value"], now_ms, headers, offset))
        offset += 1 if random.random() < 0.95 else random.randrange(2, 9)
        now_ms += random.choice((0, 5, 1000, 60_000, -7))
    content = segment(records, records_per_batch=random.choice((1, 3)))
    content = changed(random, ".log", content) if random.random() < 0.3 else content
    return {f"{TOPICS.get(dialect, dialect)}-0/00000000000000000000.log": content}
