"""The whole of Journalscope as `make run` starts it (Redis, worker, scheduler, web server), and a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, BrowserContext, Page

from tests.e2e.looking import Seen
from tests.workers.whole_house import House


@pytest.fixture(scope="session")
def signed_in(whole_house: House, browser: Browser, run_folder: Path) -> Path:
    """The cookies of its first admin, in a file: the link that signs in works once, and all testers are the same person."""
    cookies = run_folder / f"{whole_house.data.name}.json"  # of this house: one that starts later has others
    with FileLock(run_folder / "signed-in.lock"):
        if not cookies.exists():
            context = browser.new_context()
            page = context.new_page()
            page.goto(whole_house.sign_in)
            page.get_by_role("button", name=re.compile("sign in", re.IGNORECASE)).click()
            page.wait_for_url(f"{whole_house.address}/")
            context.storage_state(path=cookies)
            context.close()
    return cookies


@pytest.fixture
def context(browser: Browser, signed_in: Path) -> Iterator[BrowserContext]:
    """A browser window of somebody signed in."""
    window = browser.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    yield window
    window.close()


@pytest.fixture
def seen(context: BrowserContext, whole_house: House) -> Iterator[Seen]:
    """Fails the test when a page complained on the console or loaded anything from elsewhere."""
    log = Seen([], set())
    context.on(
        "console", lambda message: log.complaints.append(message.text) if message.type == "error" else None
    )
    context.on("weberror", lambda problem: log.complaints.append(str(problem.error)))
    context.on("request", lambda request: log.addresses.add(request.url))
    yield log
    elsewhere = [url for url in log.addresses if not url.startswith((whole_house.address, "data:", "blob:"))]
    assert elsewhere == []
    assert log.complaints == []


@pytest.fixture
def page(context: BrowserContext, seen: Seen, whole_house: House) -> Page:
    """A page on the list of journals."""
    window = context.new_page()
    window.goto(whole_house.address)
    return window
