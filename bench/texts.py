"""Prints of tools: what it costs an inspection to look whether something stands around the print."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import dump_log, inputs
from bench.figures import Figure, say
from bench.inputs import CACHE, MB, as_uploaded
from bench.inspecting import WarmSession
from spark.stages.pasted import opened
from spark.stages.plan import recognise
from webapp.journals.previews.process import PreviewProcess

SEARCH_TARGET = 1.10
WRAPPED_TARGET = 1.5
PREVIEW_SECONDS = 0.3
COMMAND = b"$ bin/kafka-dump-log.sh --print-data-log --files 00000000000000000000.log\n"


def figures(warm: WarmSession, size_mb: int) -> Iterator[Figure]:
    """Inspection of prints of so many megabytes: against the same without a look for wrappings, and in a fence."""
    prints = {"kcat -J": lines(size_mb), "kafka-dump-log": dump_log_print(size_mb)}
    for tool, path in prints.items():
        ours = warm.inspect([path], times=3).seconds
        search = seconds_of_search(path)
        detail = f"{ours:.2f} s, {search:.2f} of them the search; {path.stat().st_size / MB:.0f} MB"
        yield Figure(
            f"inspection of {tool} / without the search for wrappings",
            ours / (ours - search),
            SEARCH_TARGET,
            detail=detail,
        )
    bare, around = (
        warm.inspect([path], times=3).seconds for path in (prints["kafka-dump-log"], fenced(size_mb))
    )
    detail = f"{around:.2f} s against {bare:.2f} s"
    yield Figure(
        "inspection of kafka-dump-log, in a fence / bare", around / bare, WRAPPED_TARGET, detail=detail
    )
    yield Figure("preview of a paste of 20 lines", seconds_of_preview(), PREVIEW_SECONDS, unit="s")


def seconds_of_preview() -> float:
    """The slower of a kcat print and one of kafka-dump-log, each the fastest of three, by a process that has loaded."""
    heads = [b"".join(path.open("rb").readlines(20_000)[:20]) for path in (lines(1), dump_log_print(1))]
    previews = PreviewProcess()
    ask_preview(previews, heads[0])
    return max(min(ask_preview(previews, head) for _ in range(3)) for head in heads)


def ask_preview(previews: PreviewProcess, text: bytes) -> float:
    """Seconds until the answer."""
    with TemporaryDirectory() as folder:
        question = {"folder": folder, "name": "pasted.txt", "counting_seconds": 8, "max_seconds": 30}
        started = time.perf_counter()
        assert previews.answer(question, text)
        return time.perf_counter() - started


def seconds_of_search(path: Path) -> float:
    """What planning spends on wrappings: the fastest of three, less the same where none is looked for."""
    scratch = CACHE / "unwrapped"
    files = as_uploaded([path])

    def seconds(folder: Path | None) -> float:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        started = time.perf_counter()
        opened(files, folder, recognise)
        return time.perf_counter() - started

    searching, plain = (min(seconds(folder) for _ in range(3)) for folder in (scratch, None))
    shutil.rmtree(scratch, ignore_errors=True)
    return max(0.0, searching - plain)


def lines(size_mb: int) -> Path:
    """The first so many megabytes of the bench's lines."""
    return _made(f"lines-{size_mb}.json", lambda path: _head(inputs.kcat_lines(size_mb), path, size_mb))


def dump_log_print(size_mb: int) -> Path:
    """So many megabytes of what `kafka-dump-log` prints of the bench's segments."""

    def write(path: Path) -> None:
        whole = path.with_name(path.name + ".whole")
        dump_log.write_print(inputs.segments(size_mb, "none"), whole)
        _head(whole, path, size_mb)
        whole.unlink()

    return _made(f"dump-log-{size_mb}.txt", write)


def fenced(size_mb: int) -> Path:
    """The same print as a ticket holds it: a fence, the prompt and its command."""
    bare = dump_log_print(size_mb)
    return _made(
        f"dump-log-fenced-{size_mb}.txt",
        lambda path: path.write_bytes(b"```\n" + COMMAND + bare.read_bytes() + b"```\n"),
    )


def _head(source: Path, path: Path, size_mb: int) -> None:
    """Whole lines only."""
    with source.open("rb") as stream:
        content = stream.read(size_mb * MB)
    path.write_bytes(content[: content.rfind(b"\n") + 1])


def _made(name: str, write: Callable[[Path], object]) -> Path:
    path = CACHE / "inputs" / name
    if not path.exists():
        say(f"generating {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(name + ".partial")
        write(partial)
        partial.replace(path)
    return path
