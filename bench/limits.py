"""What the machine allows: the memory, a JSON parser and a JVM that has nothing to read. No targets: figures of other parts relate to these."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import numpy as np
import orjson
import psutil

from bench import dump_log, inputs
from bench.figures import Figure
from bench.inputs import MB
from bench.inspecting import ROOT, cold_seconds
from bench.starting import SIZE_MB
from spark.runtime import java, jvm, session

COPIED_BYTES = 1 << 30
ROUNDS = 3
Spent = tuple[float, float]  # seconds, and of processor time


def figures(size_mb: int) -> Iterator[Figure]:
    """The fastest of some rounds each, because a neighbour on the core only slows them."""
    copying, _ = fastest(copied())
    text = f"{size_mb} MB in {size_mb * MB / COPIED_BYTES * copying:.2f} s"
    yield Figure("memory, copied by one core", COPIED_BYTES / copying / 1e9, unit="GB/s", detail=text)
    lines = inputs.kcat_lines(size_mb)
    for parser, parse in (("orjson, from memory", parsed(lines)), ("DuckDB, one thread", scanned(lines))):
        seconds, _ = fastest(parse)
        text = f"{lines.stat().st_size / 1e6:.0f} MB in {seconds:.2f} s"
        name = f"`kcat -J` lines, parsed by {parser}"
        yield Figure(name, lines.stat().st_size / seconds / 1e9, unit="GB/s", detail=text)
    tiny = inputs.segments(1, "none")
    for name, start in (
        ("start of a JVM, `java -version`", command([str(java.java()), "-version"])),
        ("start of kafka-dump-log, 1 MB", command(dump_log.command(tiny))),
        ("start of Spark's JVM, no session", spark_jvm),
    ):
        seconds, processor = fastest(start)
        yield Figure(name, seconds, unit="s", detail=f"{processor:.2f} s of processor time")
    least = inputs.segments(SIZE_MB, "none")
    seconds = min(cold_seconds(least) for _ in range(ROUNDS))
    yield Figure(f"the whole command line, {SIZE_MB} MB by Spark", seconds, unit="s")


def fastest(work: Callable[[], Spent]) -> Spent:
    """The least of each."""
    seconds, processor = zip(*(work() for _ in range(ROUNDS)), strict=True)
    return min(seconds), min(processor)


def timed(work: Callable[[], object]) -> Callable[[], Spent]:
    def run() -> Spent:
        before, used = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - before, time.process_time() - used

    return run


def copied() -> Callable[[], Spent]:
    source, target = np.ones(COPIED_BYTES, np.uint8), np.zeros(COPIED_BYTES, np.uint8)
    return timed(lambda: np.copyto(target, source))


def parsed(path: Path) -> Callable[[], Spent]:
    """Each line becomes an object of Python that nobody keeps."""
    lines = path.read_bytes().splitlines()

    def parse() -> None:
        for line in lines:
            orjson.loads(line)

    return timed(parse)


def scanned(path: Path) -> Callable[[], Spent]:
    """All members that an inspection asks for are read, and only a row is kept."""

    def scan() -> None:
        with duckdb.connect(config={"threads": 1}) as database:
            database.execute(
                """
                select max("offset"), max(ts), max(length(key)), max(length(payload)) from read_json(
                    ?, format = 'newline_delimited', columns = {
                        topic: 'varchar', partition: 'integer', "offset": 'bigint', tstype: 'varchar', ts: 'bigint',
                        key: 'varchar', payload: 'varchar'})
                """,
                [str(path)],
            ).fetchall()

    return timed(scan)


def command(words: list[str]) -> Callable[[], Spent]:
    """A process from its start to its end."""

    def run() -> Spent:
        before, used = time.perf_counter(), os.times()
        subprocess.run(words, cwd=ROOT, capture_output=True, check=True)
        ended = os.times()
        processor = ended.children_user + ended.children_system - used.children_user - used.children_system
        return time.perf_counter() - before, processor

    return run


def spark_jvm() -> Spent:
    """From its start until Python can reach it, with the archive of classes."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = session.settings(session._java_options("", use_archive=True))
    before = time.perf_counter()
    started = jvm.start({"spark.master": "local[*]", "spark.app.name": "limits", **settings})
    try:
        while not started.connection.exists():
            time.sleep(jvm.LOOK_EVERY_SECONDS)
        times = psutil.Process(started.process.pid).cpu_times()
        return time.perf_counter() - before, times.user + times.system
    finally:
        session._end(started.process, at_once=True)
