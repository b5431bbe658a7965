"""What tests of all rooms share: marks by what a test asks for, the browser, and the order."""

from __future__ import annotations

import gc
import os
import zlib
from collections.abc import Collection, Iterator
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from scripts import browser as browsers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NO_BROWSER = "this machine has no browser; `make test` sees to one where it can"

# Modules of tests that take something from these inspect whole journals in this process.
RUN_PIPELINES = {
    "tests.spark.whole_pipeline",
    "tests.spark.corpus_inputs",
    "tests.spark.states",
    "tests.spark.faults.logs",
}
# Those of tests that take something from these run several stages over a folder, start a server or a process, unpack
# bombs, or live through long histories.
INTEGRATE = {
    "spark.compare",
    "subprocess",
    "tests.spark.captures",
    "tests.spark.dialects.schema_registry.simulations",
    "tests.spark.log_folders",
    "tests.spark.memory",
    "tests.spark.transaction_logs",
    "tests.workers.capture.small_cluster",
    "tests.workers.kafka.small_broker",
}
ASK_DATABASE = {"db", "transactional_db", "django_db_setup", "live_server"}
FIRST = ({"spark", "slow"}, {"pipeline", "wide"}, {"integration"})
ONE_OF = 16  # the cases of one test over whole journals that `make test` takes; the others are `long`
HEAVY = {"e2e", "heavy", "pipeline", "slow", "spark", "wide"}
ONE_OF_HEAVY = 16  # what `make test` takes of these; the others are `rest`
ONE_OF_INTEGRATION = 3  # the same of those with a database


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a test asks for, and what its module takes from others, says which tests it runs with.

    `spark` or `browser` in its arguments: a Spark or a browser test. Helpers that run pipelines, or stages and servers: a
    pipeline or an integration test; the database makes it one of the latter too.

    What takes long comes first, so that no worker is left with it at the end. Files with browser tests come last: Playwright
    keeps an event loop in this thread, which Django takes for async code.
    """
    browser = browsers.find()
    for item in items:
        asked = getattr(item, "fixturenames", ())
        if "spark" in asked:
            item.add_marker(pytest.mark.spark)
        if "browser" in asked:
            item.add_marker(pytest.mark.e2e)
            if browser is None:
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))
        module = getattr(item, "module", None)
        if takes_from(module, frozenset(RUN_PIPELINES)):
            item.add_marker(pytest.mark.pipeline)
        elif takes_from(module, frozenset(INTEGRATE)) or asks_database(item, asked):
            item.add_marker(pytest.mark.integration)
        if is_left_to_long(item):
            item.add_marker(pytest.mark.long)
        elif is_left_to_rest(item):
            item.add_marker(pytest.mark.rest)
    if "TEST_SLICE" in os.environ:
        number, of = map(int, os.environ["TEST_SLICE"].split("/"))
        items[:] = [item for item in items if slice_of(item, of) == number]
    of_browsers = {item.path for item in items if is_of_browsers(item)}
    items.sort(key=lambda item: (item.path in of_browsers, turn(item)))
    gc.collect()
    gc.freeze()  # what was collected stays: no later collection has to walk over it


def pytest_unconfigure() -> None:
    """What was frozen after the collection can be collected again: else DuckDB prints pages about leaks at the end."""
    gc.unfreeze()


def slice_of(item: pytest.Item, of: int) -> int:
    """Which of so many slices a test belongs to, 1 first. Those of one file go to one, but of long ones a single file can be an hour:
    these go by their journal, which is inspected once in a run, or each by itself."""
    name = str(item.path.relative_to(item.config.rootpath))
    marks = {mark.name for mark in item.iter_markers()}
    if "long" in marks and marks.isdisjoint({"e2e", "cluster"}):
        name = name_of_case(item)
    return zlib.crc32(name.encode()) % of + 1


def is_of_browsers(item: pytest.Item) -> bool:
    """Whether it, and so all of its file, waits for the others."""
    return item.get_closest_marker("e2e") is not None


def turn(item: pytest.Item) -> int:
    """Its place in the order of tests, 0 first."""
    marks = {mark.name for mark in item.iter_markers()}
    return next((number for number, names in enumerate(FIRST) if names & marks), len(FIRST))


def is_left_to_long(item: pytest.Item) -> bool:
    """Of many cases that take long each, every sixteenth is enough at a time; by the name, so always the same ones.

    Tests over journals of the corpus take the same ones: each is inspected once in a run.
    """
    case = getattr(item, "callspec", None)
    if (
        case is None
        or item.get_closest_marker("cluster")
        or not any(item.get_closest_marker(name) for name in ("pipeline", "wide"))
    ):
        return False
    return zlib.crc32(name_of_case(item).encode()) % ONE_OF != 0


def name_of_case(item: pytest.Item) -> str:
    """The journal of the corpus that it is about, or its own name."""
    case = getattr(item, "callspec", None)
    return str(case.id) if case is not None and "folder" in case.params else item.nodeid


def is_left_to_rest(item: pytest.Item) -> bool:
    """Of tests that take seconds each, every sixteenth is enough at a time, of those with a database every third: by a seed, which
    differs by commit. Those of one file of browser tests stay together, for the journals that they share."""
    marks = {mark.name for mark in item.iter_markers()}
    if marks.isdisjoint({*HEAVY, "integration"}):
        return False
    one_of = ONE_OF_INTEGRATION if marks.isdisjoint(HEAVY) else ONE_OF_HEAVY
    name = str(item.path.relative_to(item.config.rootpath)) if "e2e" in marks else item.nodeid
    return zlib.crc32(f"{seed()} {name}".encode()) % one_of != 0


def seed() -> str:
    """What chooses the sampled tests of this run."""
    return os.environ.get("TEST_SEED", "")


def asks_database(item: pytest.Item, asked: Collection[str]) -> bool:
    """Whether the test has the database, by a mark or by a fixture."""
    return item.get_closest_marker("django_db") is not None or not ASK_DATABASE.isdisjoint(asked)


@cache
def takes_from(module: ModuleType | None, helpers: frozenset[str]) -> bool:
    """Whether a module of tests names one of these modules, or something of them."""
    if module is None:
        return False
    names = (
        getattr(named, "__module__", None) or getattr(named, "__name__", None)
        for named in vars(module).values()
    )
    return any(isinstance(name, str) and name in helpers for name in names)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which seed chose the sampled tests, and how many tests were left out for want of a browser."""
    if "rest" in terminalreporter.config.option.markexpr:
        terminalreporter.write_line(
            f"TEST_SEED={seed()} chose which tests with a database, and which that take seconds, are of this run."
        )
    skipped = terminalreporter.getreports("skipped")
    if left_out := sum(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"{left_out} browser tests were left out: {NO_BROWSER}.", yellow=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of this machine, headless."""
    path = browsers.find()
    assert path is not None
    with browsers.opened(path) as chromium:
        yield chromium
