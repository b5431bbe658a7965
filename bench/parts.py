"""The parts of the bench: each measures and yields figures. Targets and what is compared: docs/bench.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import get_args

from bench import captures, dump_log, inputs, others, pages, starting, texts, users
from bench import limits as machine
from bench import savings as saving
from bench.figures import Figure
from bench.inspecting import RESULTS, WarmSession, cold_peak, cold_run, cold_seconds
from tests.generator.segment import Codec

PARTITIONS = 200
DECODE_RATIOS: dict[Codec, float] = {"none": 10.0, "lz4": 3.0, "zstd": 3.0}  # unpacking takes both as long
CODECS: tuple[Codec, ...] = ("none", "lz4", "zstd")
assert set(CODECS) < set(get_args(Codec))


@dataclass(frozen=True)
class Sizes:
    """Megabytes of records before compression."""

    usual: int
    large: int  # from here on a cold start must no longer matter
    huge: int
    text: int
    journal_entries: int
    journal_seconds: float  # for replay and detectors
    timeline_entries: int


FULL = Sizes(
    usual=300,
    large=1024,
    huge=3072,
    text=100,
    journal_entries=5_000_000,
    journal_seconds=40.0,
    timeline_entries=5_000_000,
)
QUICK = Sizes(
    usual=60,
    large=200,
    huge=600,
    text=50,
    journal_entries=500_000,
    journal_seconds=5.0,
    timeline_entries=500_000,
)
SHORT_JOURNAL_ENTRIES = 500_000

Part = Callable[[WarmSession, Sizes], Iterator[Figure]]


def warm_against_dump_log(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Whole inspection on a warm session against kafka-dump-log, by codec."""
    for codec in CODECS:
        segments = inputs.segments(sizes.usual, codec)
        theirs, ours = dump_log.seconds(segments), warm.inspect(segments, times=2)
        detail = f"{ours.seconds:.2f} s against {theirs:.2f} s; {ours.by_stage}"
        yield Figure(f"warm inspection / kafka-dump-log, {codec}", ours.seconds / theirs, 0.5, detail=detail)


def many_partitions(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Inspection of a data folder of 200 partitions on a warm session against kafka-dump-log."""
    segments = inputs.data_folder(sizes.usual, PARTITIONS)
    theirs, ours = dump_log.seconds(segments), warm.inspect(segments, times=2)
    detail = f"{ours.seconds:.2f} s against {theirs:.2f} s; {ours.by_stage}"
    yield Figure(
        f"warm inspection / kafka-dump-log, {PARTITIONS} partitions",
        ours.seconds / theirs,
        1.0,
        detail=detail,
    )


def legacy_against_dump_log(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Messages of format 1 wrapped with gzip: whole inspection on a warm session against kafka-dump-log."""
    segments = inputs.legacy_segments(sizes.usual)
    theirs, ours = dump_log.seconds(segments), warm.inspect(segments, times=2)
    rate = f"{ours.records / ours.seconds / 1e6:.2f} million records/s"
    detail = f"{ours.seconds:.2f} s against {theirs:.2f} s; {rate}"
    yield Figure("warm inspection / kafka-dump-log, format 1 gzip", ours.seconds / theirs, 1.0, detail=detail)


def cold_against_dump_log(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """The command line from its start against kafka-dump-log: usual and large input."""
    for size_mb, target, rounds in ((sizes.usual, 1.0, 2), (sizes.large, 0.7, 1)):
        segments = inputs.segments(size_mb, "none")
        theirs, ours = (min(of(segments) for _ in range(rounds)) for of in (dump_log.seconds, cold_seconds))
        detail = f"{ours:.2f} s against {theirs:.2f} s"
        yield Figure(
            f"cold command line / kafka-dump-log, {size_mb} MB", ours / theirs, target, detail=detail
        )


def decoding(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Our decoder against aiokafka's compiled parser, CPU seconds on one core."""
    for codec in CODECS:
        segments = inputs.segments(sizes.usual, codec)[:1]
        runs = [(others.own_cpu_seconds(segments), others.aiokafka_cpu_seconds(segments)) for _ in range(3)]
        (ours, count), (theirs, as_many) = (min(of_one) for of_one in zip(*runs, strict=True))
        if count != as_many:
            message = f"{codec}: we read {count} records, aiokafka {as_many}"
            raise RuntimeError(message)
        iterating, _ = others.aiokafka_iterating_cpu_seconds(segments)
        rates = [f"{count / seconds / 1e6:.2f}" for seconds in (ours, theirs, iterating)]
        detail = f"{rates[0]} against {rates[1]} million records/s; {rates[2]} when it only iterates"
        name = f"aiokafka / our decode to Arrow, one core, {codec}"
        if codec != "none":
            unpacking = min(others.unpacking_cpu_seconds(segments) for _ in range(3))
            parsers = (theirs - unpacking) / (ours - unpacking)
            yield Figure(f"{name}, less the unpacking of both", parsers, DECODE_RATIOS["none"], at_least=True)
            detail += f"; {theirs / unpacking:.1f} x would be to unpack and do nothing else"
        yield Figure(name, theirs / ours, DECODE_RATIOS[codec], at_least=True, detail=detail)


def lines_against_duckdb(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Inspection of `kcat -J` lines against DuckDB loading them and relating records by key."""
    lines = inputs.kcat_lines(sizes.usual)
    theirs = min(others.duckdb_seconds(lines) for _ in range(2))
    ours = warm.inspect([lines], times=2)
    detail = f"{ours.seconds:.2f} s against {theirs:.2f} s; {ours.by_stage}"
    yield Figure("inspection of lines / DuckDB", ours.seconds / theirs, 2.0, detail=detail)


def prints(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Text that a tool printed: what the search for wrappings costs, and a fence around it."""
    yield from texts.figures(warm, sizes.text)


def small(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """A dump of some hundred records: warm, and by the command line."""
    dump = inputs.small_dump()
    run = warm.inspect([dump], times=3)
    yield Figure("small dump, warm", run.seconds, 2.0, unit="s", detail=run.by_stage)
    yield Figure("small dump, cold command line", min(cold_seconds([dump]) for _ in range(2)), 2.0, unit="s")


def limits(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """What the machine allows: memory, a JSON parser, the start of a JVM; without targets."""
    yield from machine.figures(sizes.usual)


def start(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """What each piece of code that only makes a start faster is worth."""
    yield from starting.figures()


def savings(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """What each other piece of code that only saves time is worth."""
    yield from saving.figures()


def memory(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Peak memory of the command line and its children: huge input against usual input."""
    usual, huge = (cold_peak(inputs.segments(size, "none")) for size in (sizes.usual, sizes.huge))
    for name, of_usual, of_huge in (
        ("resident", usual.resident_bytes, huge.resident_bytes),
        ("anonymous", usual.anonymous_bytes, huge.anonymous_bytes),
    ):
        detail = (
            f"{of_huge / 1e6:.0f} MB at {sizes.huge} MB against {of_usual / 1e6:.0f} MB at {sizes.usual} MB"
        )
        yield Figure(f"peak {name} memory, huge / usual", of_huge / of_usual, 1.2, detail=detail)


DETECTION_RATIOS = {"redpanda": 0.8}  # its detectors have most to ask


def journals(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Journals of registries, each in processes of its own: replay and all detectors; peak memory against a tenth of the entries."""
    for writer in inputs.JOURNALS:
        run, peak = cold_run(inputs.journal(writer, sizes.journal_entries))
        seconds, cpu = (stages["replay"] + stages["detect"] for stages in (run.stages, run.cpu_stages))
        name = f"replay and detectors, {run.records / 1e6:g} million entries, {writer}"
        detail = (
            f"{cpu:.0f} s of processor time, {run.cpu_stages['replay']:.0f} of them replay; {run.by_stage}"
        )
        yield Figure(name, seconds, sizes.journal_seconds, unit="s", detail=detail)
        if writer in DETECTION_RATIOS:
            detecting, decoding = (run.cpu_stages[stage] for stage in ("detect", "decode"))
            yield Figure(
                f"detectors / decoding, processor time, {writer}",
                detecting / decoding,
                DETECTION_RATIOS[writer],
                detail=f"{detecting:.1f} s against {decoding:.1f} s",
            )
        if sizes.journal_entries > SHORT_JOURNAL_ENTRIES:
            yield _memory_of_journals(writer, peak.anonymous_bytes)


MEMORY_RATIO = 1.5


def _memory_of_journals(writer: str, long: int) -> Figure:
    short = cold_run(inputs.journal(writer, SHORT_JOURNAL_ENTRIES))[1].anonymous_bytes
    detail = f"{long / 1e6:.0f} MB against {short / 1e6:.0f} MB at {SHORT_JOURNAL_ENTRIES} entries"
    name = f"peak anonymous memory, long / short journal, {writer}"
    return Figure(name, long / short, MEMORY_RATIO, detail=detail)


def timeline_windows(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Zoom and brush: the picture of random windows of a journal that a service reads."""
    run = warm.inspect(inputs.journal("apicurio", sizes.timeline_entries))
    yield from pages.figures(RESULTS, f"{run.records / 1e6:g} million entries")


def many_users(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Fifty users and twenty uploads on the running site against one user alone."""
    yield from users.figures()


def capturing(warm: WarmSession, sizes: Sizes) -> Iterator[Figure]:
    """Capture of a topic from a broker against kafka-console-consumer and kcat."""
    yield from captures.figures(sizes.usual)


PARTS: dict[str, Part] = {
    "limits": limits,
    "small": small,
    "start": start,
    "savings": savings,
    "dump-log": warm_against_dump_log,
    "legacy": legacy_against_dump_log,
    "partitions": many_partitions,
    "cold": cold_against_dump_log,
    "decode": decoding,
    "lines": lines_against_duckdb,
    "prints": prints,
    "memory": memory,
    "journals": journals,
    "pages": timeline_windows,
    "users": many_users,
    "capture": capturing,
}
