"""Connect a cluster on the page, test it, choose a topic, capture it, read the report: all in a browser, from a real broker."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import context, page, seen, signed_in  # noqa: F401
from tests.e2e.looking import serious_axe_issues
from tests.live.brokers import Broker, Driver

pytestmark = pytest.mark.live

SECONDS = 1000
REPORT = re.compile(r"/inspections/[0-9a-f-]+/report/")


@pytest.fixture(scope="session", autouse=True)
def _broker_on_this_machine() -> Iterator[None]:
    """Journalscope connects to the loopback only when told to; the house takes its settings from here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KAFKA_NETWORKS", "loopback")
        yield


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """With a topic in which a transaction is open, and offsets 0 to 12."""
    with (
        Broker("3.9.1", tmp_path_factory.mktemp("browser") / "broker") as broker,
        Driver(broker.address) as drive,
    ):
        drive("topic", "ledger", 1, 1)
        drive("producer", "one", "transactional.id=one", "transaction.timeout.ms=600000")
        drive("begin", "one")
        drive("fill", "one", "ledger", 0, 0, 10, "value ")
        drive("commit", "one")
        drive.until_end("ledger", 0, 11)
        drive("begin", "one")
        drive("fill", "one", "ledger", 0, 0, 2, "value ")
        yield broker


def connect(page: Page, name: str, address: str) -> None:  # noqa: F811
    page.get_by_role("link", name="Clusters", exact=True).first.click()
    page.get_by_role("link", name="Connect a cluster").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label(re.compile("bootstrap", re.IGNORECASE)).fill(address)
    page.get_by_role("button", name="Connect and test").click()


def test_a_topic_becomes_a_report(broker: Broker, page: Page) -> None:  # noqa: F811
    connect(page, "Billing", broker.address)
    expect(page.get_by_text("The cluster can be reached")).to_be_visible(timeout=60 * SECONDS)
    assert serious_axe_issues(page) == []
    page.get_by_role("link", name="Topics", exact=True).click()
    page.get_by_role("link", name="Capture ledger").click(timeout=60 * SECONDS)
    page.get_by_role("button", name="Estimate").click()
    page.get_by_role("button", name="Start the capture").click(timeout=60 * SECONDS)
    expect(page.get_by_role("heading", level=1)).to_contain_text("was captured", timeout=60 * SECONDS)
    assert serious_axe_issues(page) == []
    page.get_by_role("link", name="Open the report").click()
    page.wait_for_url(REPORT, timeout=600 * SECONDS)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Healthy: ledger")
    expect(page.get_by_role("main")).to_contain_text("is open (offsets 11-12)")


def test_a_cluster_that_is_not_there_is_explained(page: Page) -> None:  # noqa: F811
    connect(page, "Gone", "127.0.0.1:1")
    expect(page.get_by_text("Not everything works")).to_be_visible(timeout=60 * SECONDS)
    steps = page.locator(".trial-steps")
    expect(steps).to_contain_text("127.0.0.1:1 refuses connections.")
    expect(steps).to_contain_text("Check the port, and that the broker is running.")
