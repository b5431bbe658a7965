"""Damaged input of every kind breaks no inspection and no detector; what did once is kept here by hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import pytest

from tests.generator.segment import Record, batch
from tests.spark import apicurio_views as apicurio
from tests.spark import transaction_logs as logs
from tests.spark.mutants import folders, texts
from tests.spark.mutants.changes import checked
from tests.spark.mutants.inspecting import fallen

pytestmark = pytest.mark.heavy

FEW, MANY = 8, 300  # mutants of each kind: in `make test`, and in each of the parts of `make test-long`
PARTS = range(1, 1 + int(os.environ.get("MUTANT_PARTS", "3")))
GREATEST = (2**63 - 1).to_bytes(8, "big")
LEAST = (2**63).to_bytes(8, "big")
KINDS = ("folders", "records", "texts")
COMPANIONS = b"Dumping 0.snapshot\nproducerId: 7 producerEpoch: -2147483648 coordinatorEpoch: 0 currentTxnFirstOffset: None lastTimestamp: 5 firstSequence: 0 lastSequence: 0 lastOffset: 1 offsetDelta: 1 timestamp: 5\n"  # fmt: skip


def mutants(kind: str, seed: int, count: int) -> list[dict[str, bytes]]:
    """So many of one kind; always the same of one seed."""
    random = Random(f"{kind}-{seed}")
    found = []
    for number in range(count):
        if kind == "texts":
            found.append(texts.mutated(random, number))
        elif kind == "records":
            found.append(folders.renumbered(folders.of_records(random), number))
        else:
            begun = folders.real()[random.choice(list(folders.real()))]
            found.append(folders.mutated(random, folders.renumbered(begun, number)))
    return found


def of_every_kind(count: int, seed: int) -> list[dict[str, bytes]]:
    """So many of each kind, side by side."""
    return [
        one for group in zip(*(mutants(kind, seed, count) for kind in KINDS), strict=True) for one in group
    ]


def test_a_few_mutants_of_each_kind_do_no_harm() -> None:
    assert [fell.where for fell in fallen(of_every_kind(FEW, 0))] == []


@pytest.mark.long
@pytest.mark.parametrize("seed", PARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_hundreds_of_mutants_do_no_harm(kind: str, seed: int) -> None:
    assert [fell.where for fell in fallen(mutants(kind, seed, MANY))] == []


def at_the_end_of_all_offsets() -> bytes:
    """A batch whose offset has no next one, after a sound one, with a tombstone."""
    last = batch([Record(b"a", None)], producer_id=2**63 - 1, producer_epoch=2**15 - 1)
    return batch([Record(b"a", b"1")]) + GREATEST + last[8:]


def with_extreme_times() -> bytes:
    """The least and the greatest time there is, each with a right checksum."""
    found = b""
    for offset, (base, newest) in enumerate(((LEAST, GREATEST), (GREATEST, LEAST), (GREATEST, GREATEST))):
        one = batch([Record(b"k", b"v")], offset, transactional=True, producer_id=offset)
        found += checked(one[:27] + base + newest + one[43:])
    return found


def with_a_hash_that_is_an_object() -> bytes:
    """A content that nothing uses, which the service drops when a group is deleted, and not once the log is clean."""
    journal = [apicurio.content(3, content_hash={"a": []}), apicurio.group("g", 1), apicurio.group("g", 3)]
    return b"".join(batch([Record(key, value)], offset) for offset, (key, value) in enumerate(journal))


FELL: dict[str, Callable[[], dict[str, bytes]]] = {
    "the last offset there is": lambda: {"t-0/00000000000000000000.log": at_the_end_of_all_offsets()},
    "the last offset, cleaned": lambda: {
        "t-0/00000000000000000000.log": at_the_end_of_all_offsets(),
        "cleaner-offset-checkpoint": b"0\n1\nt 0 9223372036854775807\n",
    },
    "times that leave 64 bits": lambda: {"t-0/00000000000000000000.log": with_extreme_times()},
    "an index that leaves 64 bits": lambda: {
        "t-0/00000000000000000000.log": logs.plain(0),
        "t-0/00000000000000000000.timeindex": GREATEST + b"\xff" * 4 + LEAST + b"\x7f\xff\xff\xff",
        "t-0/00000000000000000000.txnindex": logs.txnindex((2**63 - 1, 0, 2**62)),
    },
    "a print that begins with a record": lambda: {"print.txt": b"| offset: 1 CreateTime: 5 keySize: 1 valueSize: 1 key: a payload: b\n" * 3},
    "an epoch that is none": lambda: {"print.txt": COMPANIONS},
    "a byte order mark and nothing else": lambda: {"kcat -f.txt": b"$ kcat -f '%t %p %o %k %s\\n'\n\xef\xbb\xbf"},
    "an offset in a print": lambda: {
        "print.json": b'{"topic":"t","partition":0,"offset":9223372036854775807,"key":"a","payload":null}\n'
        b'{"topic":"t","partition":0,"offset":0,"key":"a","payload":"b"}\n'
    },
    "schema ids that leave 64 bits": lambda: {
        "print.json": b"".join(
            b'{"topic":"_schemas","partition":0,"offset":%d,"key":"{\\"keytype\\":\\"SCHEMA\\",\\"subject\\":\\"s%d\\",\\"version\\":1,\\"magic\\":1}",'
            b'"payload":"{\\"subject\\":\\"s%d\\",\\"version\\":1,\\"id\\":%d,\\"schema\\":\\"\\\\\\"int\\\\\\"\\",\\"deleted\\":false}"}\n'
            % (offset, offset, offset, id)
            for offset, id in enumerate([2**63 - 1, 1 - 2**63, 2 - 2**63])
        )
    },
    "a content hash that is an object": lambda: {"kafkasql-journal-0/00000000000000000000.log": with_a_hash_that_is_an_object()},
    "a coordinator's print without states": lambda: {
        "print.txt": b"tx::TransactionMetadata(transactionalId=tx, producerId=99999999999999999999, producerEpoch=NaN, txnTimeoutMs=6, state=null, "
        b"pendingState=None, topicPartitions=HashSet(a-99999999999), txnStartTimestamp=1, txnLastUpdateTimestamp=2)\n" * 2
    },
}  # fmt: skip


def test_what_fell_once_stands() -> None:
    whole = [folders.renumbered(made(), number) for number, made in enumerate(FELL.values())]
    assert [(list(fell.files), fell.where) for fell in fallen(whole)] == []
