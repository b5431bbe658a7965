"""Drop a dump on the page, wait for the report, read what is wrong: the road every user takes."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import HANGS, serious_axe_issues
from tests.generator import apicurio, bulk, dumps
from tests.workers.whole_house import House

REPORT = re.compile(r"/inspections/[0-9a-f-]+/report/")
SECONDS = 1000
SEGMENT_BYTES = 100 << 20


def upload(page: Page, *files: Path) -> None:
    page.set_input_files("#pick-files", [str(file) for file in files])


def wait_until_arrived(page: Page, share: float) -> None:
    """By polling: the page's own content policy forbids `wait_for_function`."""
    for _ in range(600):
        if page.evaluate("document.getElementById('uploads-progress').value") > share:
            return
        page.wait_for_timeout(100)
    pytest.fail("the upload does not move")


def test_the_list_shows_the_two_samples_and_their_verdicts(page: Page, whole_house: House) -> None:
    page.goto(f"{whole_house.address}/?q=Sample")  # other tests upload journals meanwhile
    for level in ("Healthy", "Critical"):
        expect(page.locator("tbody tr").filter(has_text=level).first).to_be_visible(timeout=HANGS)


@pytest.mark.parametrize(
    ("stage", "level", "words"), [("at_risk", "High", "loses content"), ("lost", "Critical", "lost")]
)
def test_a_dropped_dump_becomes_a_report(
    page: Page, tmp_path: Path, stage: str, level: str, words: str
) -> None:
    journal = apicurio.incident(seed=20 + len(stage), stage=stage)
    dump = tmp_path / "journal.json"
    dump.write_bytes(dumps.plain_array(journal))
    began = time.monotonic()
    upload(page, dump)
    page.wait_for_url(REPORT, timeout=HANGS)
    print(f"upload to report: {time.monotonic() - began:.2f} s")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text(words)
    expect(page.locator(".severity").filter(has_text=level).first).to_be_visible()
    offset = journal.empty_updates[0].offsets[-1]
    expect(page.get_by_role("link", name=f"{offset:,}", exact=True).first).to_be_visible()
    page.locator(".report-top").get_by_role("link", name="journal", exact=False).last.click()
    page.wait_for_url(re.compile(r"/journals/[\w-]+/$"))


def test_the_same_dump_again_offers_the_report_there_is(page: Page, tmp_path: Path) -> None:
    dump = tmp_path / "again.json"
    dump.write_bytes(dumps.plain_array(apicurio.healthy(seed=77)))
    upload(page, dump)
    page.wait_for_url(REPORT, timeout=HANGS)
    page.goto("/".join(page.url.split("/")[:3]))
    upload(page, dump)
    expect(page.get_by_text(re.compile("inspected before|already|same", re.IGNORECASE)).first).to_be_visible(
        timeout=30 * SECONDS
    )
    expect(page.get_by_role("link", name=re.compile("report", re.IGNORECASE)).first).to_be_visible()


def test_a_page_whose_files_wait_for_a_worker_says_so_and_goes_on_when_it_comes(
    page: Page, whole_house: House, tmp_path: Path
) -> None:
    dump = tmp_path / "waiting.json"
    dump.write_bytes(dumps.plain_array(apicurio.healthy(seed=78)))
    workers = whole_house.pids("worker --queues quick")
    try:
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        upload(page, dump)
        expect(page.get_by_text("All files have arrived. They are being stored.")).to_be_visible()
        expect(page.get_by_text("arrived, being stored")).to_be_visible()
        assert serious_axe_issues(page) == []
    finally:
        for worker in workers:
            os.kill(worker, signal.SIGCONT)
    assert workers
    page.wait_for_url(REPORT, timeout=HANGS)


def test_a_file_that_is_no_journal_is_refused_in_words(page: Page, tmp_path: Path) -> None:
    picture = tmp_path / "holiday.jpg"
    picture.write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20)
    upload(page, picture)
    expect(page.get_by_text("is a picture").first).to_be_visible(timeout=HANGS)
    expect(page.get_by_role("button", name="Retry")).to_be_visible(timeout=HANGS)


@pytest.fixture(scope="module")
def segment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log segment of 100 MB."""
    [path, *_] = bulk.write_segments(
        tmp_path_factory.mktemp("bulk"), SEGMENT_BYTES, segment_bytes=2 * SEGMENT_BYTES
    )
    return path


@pytest.mark.long
def test_a_100_mb_segment_survives_a_broken_connection_and_a_reload(
    context: BrowserContext, page: Page, segment: Path
) -> None:
    # Slow enough that the upload is surely under way when the page is thrown away.
    network = context.new_cdp_session(page)
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 5, "downloadThroughput": -1, "uploadThroughput": 15 << 20},
    )
    upload(page, segment)
    wait_until_arrived(page, share=0.15)
    page.reload()
    expect(page.get_by_text("Interrupted uploads")).to_be_visible()
    row = page.locator("[data-unfinished]").filter(has_text=segment.name)
    arrived_mb = float(re.search(r"([\d.]+) MB of", row.inner_text())[1])  # type: ignore[index]
    assert arrived_mb > 0
    sent: list[int] = []
    page.on("request", lambda request: sent.append(int(request.headers.get("upload-offset", -1))))
    upload(page, segment)
    page.wait_for_url(REPORT, timeout=600 * SECONDS)
    assert max(sent) >= (arrived_mb - 0.1) * 1_000_000 > 0, "the upload began again instead of going on"
    expect(page.get_by_role("heading", level=1)).to_contain_text("No fault found in the journal")
    expect(page.locator("main p").filter(has_text="absent offsets, cause known").first).to_be_visible()

    page.get_by_role("link", name="Timeline").first.click()
    expect(page.locator("#timeline .main-svg").first).to_be_visible(timeout=20 * SECONDS)
    sentence = page.locator("[data-figure-sentence]")
    whole = sentence.inner_text()
    figure = page.locator("#timeline .nsewdrag").first
    box = figure.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.40, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.401 + 12, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    expect(sentence).not_to_have_text(whole, timeout=10 * SECONDS)
    expect(page).to_have_url(re.compile("from="))

    page.get_by_role("link", name="Records").first.click()
    page.locator(".records-table tbody a:not(.row-flag)").first.click()
    expect(page.get_by_role("dialog")).to_be_visible(timeout=10 * SECONDS)
