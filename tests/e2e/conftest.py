"""The whole of Journalscope as `make run` starts it (Redis, worker, scheduler, web server), and a real browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.e2e.looking import Seen, Stack, free_port, said

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Start it on a data folder of its own; stop it as Ctrl-C does."""
    data = tmp_path_factory.mktemp("data")
    environment = {
        key: value for key, value in os.environ.items() if key not in {"REDIS_URL", "DATABASE_URL"}
    }
    environment |= {"JOURNALSCOPE_DATA": str(data), "PORT": str(free_port()), "HOST": "127.0.0.1"}
    environment["DJANGO_SETTINGS_MODULE"] = "webapp.settings"  # not the settings under test
    process = subprocess.Popen(
        [sys.executable, "-m", "workers.supervisor"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    output: list[str] = []
    threading.Thread(target=lambda: output.extend(iter(process.stdout.readline, "")), daemon=True).start()  # type: ignore[union-attr, arg-type]
    try:
        sign_in = said(output, process, r"(http://\S+/accounts/once/\S+)")
        address = re.match(r"http://[^/]+", sign_in)[0]  # type: ignore[index]
        yield Stack(address, data, process, sign_in, output)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


@pytest.fixture(scope="session")
def signed_in(stack: Stack, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Use the one-time link once; the session's cookies, kept in a file."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(stack.sign_in)
    page.get_by_role("button", name=re.compile("sign in", re.IGNORECASE)).click()
    page.wait_for_url(f"{stack.address}/")
    kept = tmp_path_factory.mktemp("browser") / "state.json"
    context.storage_state(path=kept)
    context.close()
    return kept


@pytest.fixture
def context(browser: Browser, signed_in: Path) -> Iterator[BrowserContext]:
    """A browser window of somebody signed in."""
    window = browser.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    yield window
    window.close()


@pytest.fixture
def seen(context: BrowserContext, stack: Stack) -> Iterator[Seen]:
    """Fails the test when a page complained on the console or loaded anything from elsewhere."""
    log = Seen([], set())
    context.on(
        "console", lambda message: log.complaints.append(message.text) if message.type == "error" else None
    )
    context.on("weberror", lambda problem: log.complaints.append(str(problem.error)))
    context.on("request", lambda request: log.addresses.add(request.url))
    yield log
    elsewhere = [url for url in log.addresses if not url.startswith((stack.address, "data:", "blob:"))]
    assert elsewhere == []
    assert log.complaints == []


@pytest.fixture
def page(context: BrowserContext, seen: Seen, stack: Stack) -> Page:
    """A page on the list of journals."""
    window = context.new_page()
    window.goto(stack.address)
    return window
