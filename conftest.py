"""What tests of all rooms share: marks by what a test asks for, the browser, and the order."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Modules of tests that take something from these inspect whole journals in this process.
RUN_PIPELINES = {"tests.spark.whole_pipeline", "tests.spark.states", "tests.spark.faults.logs"}
ONE_OF = 3  # the cases of one test over whole journals that `make test` takes; the others are `long`


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`spark` or `browser` in its arguments makes a test a Spark or a browser test, a module's imports a pipeline test.

    Browser tests come last: Playwright keeps an event loop in this thread, which Django takes for async code.
    """
    for item in items:
        asked = getattr(item, "fixturenames", ())
        if "spark" in asked:
            item.add_marker(pytest.mark.spark)
        if "browser" in asked:
            item.add_marker(pytest.mark.e2e)
        if runs_pipelines(getattr(item, "module", None)):
            item.add_marker(pytest.mark.pipeline)
        if is_left_to_long(item):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)


def is_left_to_long(item: pytest.Item) -> bool:
    """Of many cases that take long each, every third is enough at a time; by the name, so always the same ones."""
    is_slow = any(item.get_closest_marker(name) for name in ("pipeline", "wide"))
    return is_slow and hasattr(item, "callspec") and zlib.crc32(item.nodeid.encode()) % ONE_OF != 0


@cache
def runs_pipelines(module: ModuleType | None) -> bool:
    """Whether a module of tests names something that inspects whole journals."""
    if module is None:
        return False
    return any(getattr(named, "__module__", None) in RUN_PIPELINES for named in vars(module).values())


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.fail("The browser tests need Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()
