"""Text from the clipboard to a report, by keyboard alone."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import HANGS, serious_axe_issues
from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat
from tests.workers.whole_house import House

SECONDS = 1000
WORKER_SECONDS = 240  # the first inspection waits until Spark has started
REPORT = re.compile(r"/inspections/[0-9a-f-]+/report/")

TICKET = b"OPS-4711: Hello, see below:\n```\n" + DUMPING + b"\n" + batch(0) + b"\n```\n$ kcat -J -t orders\n" + kcat(7) + b"\n" + kcat(8) + b"\n"  # fmt: skip


def copied(context: BrowserContext, page: Page, whole_house: House, text: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=whole_house.address)
    page.evaluate("text => navigator.clipboard.writeText(text)", text)


def test_a_pasted_ticket_becomes_a_report_by_keyboard(
    context: BrowserContext, page: Page, whole_house: House
) -> None:
    copied(context, page, whole_house, TICKET.decode())
    page.keyboard.press("Control+V")
    side = page.get_by_role("region", name="Preview")
    expect(side.get_by_role("heading", name="2 · kcat -J")).to_be_visible(timeout=HANGS)
    expect(side).to_contain_text("orders-0, offsets 7-8: 2 records")
    expect(side).to_contain_text("4 lines set aside")
    assert serious_axe_issues(page) == []
    assert page.locator(".paste-note").all_inner_texts()[:4] == ["other text", "fence", "heading", "heading"]
    expect(page.get_by_label("Name of the journal")).to_have_value(re.compile("^orders-0, pasted "))
    expect(page.get_by_role("textbox", name="Ticket", exact=True)).to_have_value("OPS-4711")
    page.get_by_role("textbox", name="Ticket", exact=True).press("Control+Enter")
    page.wait_for_url(REPORT, timeout=WORKER_SECONDS * SECONDS)
    page.get_by_role("link", name="Files", exact=True).first.click()
    expect(page.get_by_role("heading", name="Lines that are not output of the tool")).to_be_visible()
    page.goto(f"{whole_house.address}/?q=OPS-4711")
    expect(page.get_by_text(re.compile("^orders-0, pasted ")).first).to_be_visible()


def test_what_is_no_journal_is_told_before_anything_is_stored(
    context: BrowserContext, page: Page, whole_house: House
) -> None:
    page.get_by_role("button", name="Paste text").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Text to inspect")).to_be_focused()
    copied(context, page, whole_house, "orders:0:5\norders:1:0\norders:2:7\n")
    page.keyboard.press("Control+V")
    expect(page.get_by_text("Nothing to inspect was recognised.")).to_be_visible(timeout=HANGS)
    expect(page.get_by_role("region", name="Preview")).to_contain_text("GetOffsetShell")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Paste text")).to_be_focused()


def test_a_file_on_the_clipboard_is_taken_as_in_a_drop(page: Page) -> None:
    page.evaluate(
        """text => {
          const clipboard = new DataTransfer();
          clipboard.items.add(new File([text], "dump.json"));
          document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: clipboard, bubbles: true, cancelable: true }));
        }""",
        kcat(3).decode() + "\n",
    )
    page.wait_for_url(REPORT, timeout=WORKER_SECONDS * SECONDS)


def test_unknown_columns_are_named_on_the_page_and_read(
    context: BrowserContext, page: Page, whole_house: House
) -> None:
    table = "nr | who | doc\n---+-----+----\n7 | k1 | {}\n9 | k2 | {}\n"
    copied(context, page, whole_house, table)
    page.keyboard.press("Control+V")
    side = page.get_by_role("region", name="Preview")
    expect(side).to_contain_text("2 rows, columns “nr”, “who” and “doc”", timeout=HANGS)
    expect(side).to_contain_text("The likely columns are selected: check them.")
    expect(side.get_by_label("Offset", exact=True)).to_have_value("nr")
    expect(side.get_by_label("Partition", exact=True)).to_have_value("")
    expect(side.get_by_role("cell", name="k2")).to_be_visible()
    assert serious_axe_issues(page) == []
    side.get_by_label("Key", exact=True).select_option("none")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(REPORT, timeout=WORKER_SECONDS * SECONDS)
    page.get_by_role("link", name="Files", exact=True).first.click()
    expect(page.locator("main")).to_contain_text("Read by columns: offset from nr and value from doc.")
    expect(page.get_by_label("kcat format or columns")).to_have_value("offset=nr,value=doc")
