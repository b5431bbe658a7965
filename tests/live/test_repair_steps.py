"""The steps of a repair, carried out as they are written: from a journal at risk to its repaired topic."""

from __future__ import annotations

import base64
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.generator.apicurio import incident
from tests.live.brokers import Broker
from tests.live.jars import fetch
from tests.live.repairs import KILLED, MAX_RUN_SECONDS, QUICK, Cluster, Record, killed

pytestmark = pytest.mark.live

TOPIC = "kafkasql-journal"
ROOT = Path(__file__).resolve().parents[2]
COMMAND = re.compile(r"`(java [^`]*)`")
LARGEST_RECORD_BYTES = 600  # of the journal's repair, and too small for a batch of all
LAGS = {"min.compaction.lag.ms": "1000", "max.compaction.lag.ms": "604800000"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("broker")
    with Broker("3.9.1", folder, auto__create__topics__enable="false") as broker, Cluster(broker) as made:
        yield made


def journal() -> list[Record]:
    """A made-up journal whose content the next compaction takes."""
    return [
        Record(one.record.key, one.record.value, one.record.timestamp_ms)
        for one in incident(3, "at_risk").stored
    ]


def dump(records: list[Record], path: Path, topic: str = TOPIC, with_headers: bool = True) -> Path:
    """As kcat prints it, key and payload in base64."""
    lines = []
    for offset, record in enumerate(records):
        key, value = (None if part is None else base64.b64encode(part).decode() for part in record.stored)
        lines.append(
            {
                "topic": topic, "partition": 0, "offset": offset, "tstype": "create", "ts": record.timestamp_ms,
                "broker": 0, "key": key, "payload": value,
            }
        )  # fmt: skip
        if with_headers and record.headers:
            pairs = [(name, None if part is None else part.decode()) for name, part in record.headers]
            lines[-1]["headers"] = [part for pair in pairs for part in pair]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def manage(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command of ours."""
    command = [sys.executable, "manage.py", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def commands(folder: Path, way: str) -> dict[str, str]:
    """The calls of the program that a way's steps have, by what they are called."""
    found = COMMAND.findall((folder / f"{way}-steps.md").read_text())
    return {call.split("ApplyRepair.java ")[1].split()[0]: call for call in found}


def carried_out(command: str, cluster: Cluster, folder: Path) -> str:
    """A command as it is written, with the two words filled in that it leaves to the reader."""
    libs = f"{fetch(cluster.broker.version)}/*"
    filled = command.replace("KAFKA_HOME/libs/*", libs).replace("BROKER:9092", cluster.broker.address)
    words = shlex.split(filled)
    done = subprocess.run(
        [words[0], *QUICK, *words[1:]], cwd=folder, capture_output=True, text=True, check=False, timeout=MAX_RUN_SECONDS
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_steps_of_both_ways_do_what_they_say(cluster: Cluster, tmp_path: Path) -> None:
    records = journal()
    cluster.topic(TOPIC, records, **{"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "1.0", **LAGS})
    path = dump(records, tmp_path / "before.json")
    built = manage("repair", path, "--out", tmp_path / "out", "--json")
    assert built.returncode == 0, built.stderr[-2000:]
    (partition,) = json.loads(built.stdout)["partitions"]
    assert partition["recommended"] == "append"
    folder = tmp_path / "out" / partition["folder"]

    copying = commands(folder, "copy")
    assert "still is what the repair was built from" in carried_out(copying["check"], cluster, folder)
    carried_out(copying["copy"], cluster, folder)
    assert stored(cluster, f"{TOPIC}-repaired") == expected(folder / "mended.ndjson")

    appending = commands(folder, "append")
    before = cluster.own(TOPIC)
    carried_out(appending["pause"], cluster, folder)
    carried_out(appending["check"], cluster, folder)
    carried_out(appending["append"], cluster, folder)
    assert stored(cluster, TOPIC) == [one.stored for one in records] + expected(folder / "append.ndjson")
    assert "Nothing was written." in carried_out(appending["resume-append"], cluster, folder)
    again = dump(cluster.records(TOPIC), tmp_path / "after.json")  # before compaction may remove a record
    carried_out(appending["resume"], cluster, folder)
    assert cluster.own(TOPIC) == before

    stale = manage("repair", again, "--check", tmp_path / "out")
    assert stale.returncode == 1
    assert "Do not append them again" in stale.stdout
    report = json.loads(manage("inspect", again, "--json").stdout)
    assert report["verdict"]["level"] not in ("critical", "high")


@pytest.mark.parametrize("written", [1, 2])
def test_a_repair_that_is_killed_is_recognized_and_a_new_one_finishes_it(
    cluster: Cluster, tmp_path: Path, written: int
) -> None:
    topic, records = f"killed-{written}", journal()
    cluster.topic(topic, records, **{"cleanup.policy": "compact", **LAGS})
    out = tmp_path / "out"
    built = manage("repair", dump(records, tmp_path / "before.json", topic), "--out", out, "--json")
    assert built.returncode == 0, built.stderr[-2000:]
    folder = out / f"{topic}-0"
    cluster.alter(topic, **{"max.message.bytes": str(LARGEST_RECORD_BYTES)})
    assert cluster.run(folder, "pause")[0] == 0
    assert killed(cluster, folder, "append", after=written) == KILLED

    cut = dump(cluster.records(topic), tmp_path / "cut.json", topic)
    report = json.loads(manage("inspect", cut, "--json").stdout)
    (finding,) = [one for one in report["findings"] if one["detector"] == "unfinished-repair"]
    assert finding["severity"] == "critical"
    assert (finding["first_offset"], finding["last_offset"]) == (len(records), len(records) + written - 1)
    headless = dump(cluster.records(topic), tmp_path / "headless.json", topic, with_headers=False)
    for number, options in enumerate([[cut], [headless, "--applied", folder]]):
        again = manage("repair", *options, "--out", tmp_path / f"again-{number}", "--json")
        assert again.returncode == 0, again.stderr[-2000:]
        (partition,) = json.loads(again.stdout)["partitions"]
        assert partition["recommended"] == "append"
        assert partition["mended"]
    told = manage("repair", headless, "--check", out)
    assert (told.returncode, "The repair is unfinished" in told.stdout) == (1, True)

    assert cluster.run(folder, "append")[0] == 0
    assert stored(cluster, topic) == [one.stored for one in records] + expected(folder / "append.ndjson")
    whole = json.loads(
        manage("inspect", dump(cluster.records(topic), tmp_path / "whole.json", topic), "--json").stdout
    )
    assert whole["verdict"]["level"] not in ("critical", "high")


def stored(cluster: Cluster, topic: str) -> list[tuple[bytes | None, bytes | None]]:
    """What another client reads."""
    return [one.stored for one in cluster.records(topic)]


def expected(path: Path) -> list[tuple[bytes | None, bytes | None]]:
    """What a file of the repair holds."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        (base64.b64decode(one["key"]), None if one["value"] is None else base64.b64decode(one["value"]))
        for one in lines
    ]
