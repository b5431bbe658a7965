"""On a phone no page of the product scrolls sideways, for somebody signed in and for the reader of a shared link, and
what a reader of a link came for is on the first screen.

Every address is found by following links from the first pages; addresses that differ in their ids only are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.looking import HANGS, axe_issues, becomes_true, open_broken_sample, upload
from tests.workers.whole_house import House

pytestmark = pytest.mark.slow
PHONE = {"width": 390, "height": 844}
ROOT = Path(__file__).resolve().parents[2]
FIRST = ("/", "/?samples", "/operations/jobs/", "/audit/")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|(?<=/keys/)[0-9a-f]{32}")
NAMES = re.compile(r"(/catalogue/\w+|/docs(?:/\w+(?=/))?|/records|/entity/[^/]+|/s)/[^/]+")
# what downloads, signs out, or is not ours: Django's admin has pages of its own
LEFT_OUT = re.compile(
    r"^/admin/|/export|/bytes|/raw|\.(zip|json|ndjson|csv|pem|pdf|sh)$|/logout/|/evidence/|/files/.+|^/docs/.+(?<!\.html)$"
)
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
LOW = """elements => elements.filter(element => {
  const box = element.getBoundingClientRect();
  return element.offsetParent && box.height > 0 && box.height < 39.5;
}).map(element => `${element.tagName} ${element.textContent.trim().slice(0, 30)}`)"""
SHARE = """
import sys, django
django.setup()
from datetime import timedelta
from django.urls import reverse
from django.utils import timezone
from webapp.journals.models import Inspection
from spark.redaction import Options
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms, create_share
terms = Terms(timezone.now() + timedelta(days=1), Options(b"").document(), scope=Scope().document())
print(f"/s/{create_share(Inspection.objects.get(pk=sys.argv[1]), None, terms)[1]}/")
"""


@pytest.fixture
def phone(browser: Browser, signed_in: Path) -> Iterator[BrowserContext]:
    window = browser.new_context(storage_state=signed_in, viewport=PHONE, has_touch=True)  # type: ignore[arg-type]
    yield window
    window.close()


@pytest.fixture
def samples(phone: BrowserContext, whole_house: House) -> None:
    """They are inspected."""
    page = phone.new_page()
    page.goto(f"{whole_house.address}/?q=Sample")  # other tests upload journals meanwhile
    for level in ("Healthy", "Critical"):
        expect(page.locator("tbody tr").filter(has_text=level).first).to_be_visible(timeout=HANGS)
    page.close()


def shape(path: str) -> str:
    """The address without ids, names and queries."""
    return NAMES.sub(r"\1/NAME", UUID.sub("ID", path))


def too_wide(page: Page, house: House, first: tuple[str, ...], least: int) -> dict[str, int]:
    """Pages that are wider than the phone, with by how many pixels; all that links lead to are visited, `least` at least."""
    wide, seen = dict[str, int](), {shape(path.split("?")[0]) for path in first}
    waiting = [*first]
    while waiting:
        path = waiting.pop(0)
        answer = page.goto(house.address + path)
        assert answer is None or answer.status < 500, path
        if answer and answer.status >= 400:
            continue
        page.wait_for_timeout(250)  # figures and parts that are loaded later
        pixels = page.evaluate(TOO_WIDE)
        if pixels > 0:
            wide[shape(path)] = pixels
        hrefs = page.eval_on_selector_all(
            "a[href]:not([download])", "links => links.map(link => link.getAttribute('href'))"
        )
        for found in _ours(house, page.url, hrefs):
            if shape(found.split("?")[0]) not in seen:
                seen.add(shape(found.split("?")[0]))
                waiting.append(found)
    assert len(seen) >= least, f"links were not followed: {seen}"
    return wide


def _ours(house: House, here: str, hrefs: list[str]) -> list[str]:
    addresses = (urlsplit(urljoin(here, href)) for href in hrefs)
    found = (
        address.path + (f"?{address.query}" if address.query else "")
        for address in addresses
        if house.address.endswith(address.netloc) and address.netloc
    )
    return [path for path in found if not LEFT_OUT.search(path.split("?")[0])]


def test_no_page_scrolls_sideways(phone: BrowserContext, samples: None, whole_house: House) -> None:
    assert too_wide(phone.new_page(), whole_house, FIRST, least=30) == {}


@pytest.fixture
def shared(browser: Browser, samples: None, whole_house: House) -> Iterator[Page]:
    """The Overview of a link to a broken journal, on the phone of somebody without an account."""
    (inspection,) = whole_house.ask(
        "select id from journals_inspection where verdict_level = 'critical' order by created_at limit 1"
    )[0]
    (address,) = whole_house.python(SHARE, inspection)
    guest = browser.new_context(viewport=PHONE, has_touch=True)  # type: ignore[arg-type]
    page = guest.new_page()
    page.goto(whole_house.address + address)
    expect(page.locator("#verdict-sentence")).to_be_visible(timeout=HANGS)  # until then it reloads itself
    yield page
    guest.close()


def test_no_page_of_a_shared_link_scrolls_sideways(shared: Page, whole_house: House) -> None:
    assert too_wide(shared, whole_house, (urlsplit(shared.url).path,), least=8) == {}


@pytest.mark.parametrize(
    ("tab", "content"),
    [
        ("keys", ".keys-table tbody tr"),
        ("records", ".records-table .record-row"),
        ("timeline", "#timeline .main-svg"),
    ],
)
def test_content_of_a_shared_tab_starts_on_the_upper_half_of_the_first_screen(
    shared: Page, tab: str, content: str
) -> None:
    shared.goto(f"{shared.url}{tab}/")
    first = shared.locator(content).first
    expect(first).to_be_visible(timeout=20_000)
    box = first.bounding_box()
    assert box
    assert box["y"] <= PHONE["height"] / 2
    assert tab == "timeline" or box["height"] <= 76, "a card of two lines"
    controls = (
        "main button:not(.visually-hidden), main a.btn, main label.btn, main .filter-box, main .nav-link"
    )
    assert shared.locator(controls).evaluate_all(LOW) == []


def test_switches_of_a_tab_are_behind_one_button(shared: Page) -> None:
    shared.goto(f"{shared.url}records/")
    go_to = shared.get_by_role("textbox", name="Go to")
    expect(go_to).to_be_hidden()
    shared.get_by_text("View", exact=True).click()
    expect(go_to).to_be_visible()
    shared.set_viewport_size({"width": 1280, "height": 900})
    expect(shared.get_by_text("View", exact=True)).to_be_hidden()
    expect(go_to).to_be_visible()


def test_names_of_lanes_stand_above_their_marks(shared: Page) -> None:
    shared.goto(f"{shared.url}timeline/")
    name = shared.locator("[data-timeline-names] [data-lane] .lane-name").first
    expect(name).to_be_visible(timeout=20_000)
    row = shared.locator("[data-timeline-names] [data-lane]").first.bounding_box()
    figure, words = shared.locator("#timeline").bounding_box(), name.bounding_box()
    assert row and figure and words  # noqa: PT018
    assert figure["width"] > PHONE["width"] * 0.9
    assert row["height"] >= 40
    assert words["y"] + words["height"] <= row["y"] + row["height"] / 2 - 4, "the marks stand in the middle"


def test_a_tap_on_a_mark_opens_its_record(phone: BrowserContext, samples: None, whole_house: House) -> None:
    page = phone.new_page()
    page.goto(f"{open_broken_sample(page, whole_house)}timeline/")
    mark = page.locator("#timeline .xy .scatterlayer .point").first
    expect(mark).to_be_visible(timeout=20_000)
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".record-drawer.show")).to_be_visible()
    assert page.locator("#timeline .hoverlayer .hovertext").count() == 0, "nothing covers the lanes"


def test_five_lanes_are_in_sight_on_a_phone(shared: Page) -> None:
    shared.goto(f"{shared.url}timeline/")
    lanes = shared.locator("[data-timeline-names] .is-lane")
    expect(lanes.first).to_be_visible(timeout=20_000)
    seen = """lanes => {
      const body = document.querySelector("[data-timeline-body]").getBoundingClientRect();
      return lanes.filter(lane => lane.getBoundingClientRect().bottom <= body.bottom - 40).length;
    }"""
    assert lanes.evaluate_all(seen) >= min(5, lanes.count())


@pytest.mark.parametrize(
    "path", ["", "auth/user/", "auth/user/1/change/", "accounts/project/1/change/", "journals/inspection/"]
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_djangos_admin_fits_a_phone_and_has_the_theme_of_the_pages(
    phone: BrowserContext, samples: None, whole_house: House, path: str, theme: str
) -> None:
    page = phone.new_page()
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.goto(f"{whole_house.address}/admin/{path}")
    assert page.locator("html").get_attribute("data-theme") == theme
    assert page.evaluate(TOO_WIDE) <= 0
    assert axe_issues(page) == []
    assert page.locator("#header button, #toolbar input[type=submit]").evaluate_all(LOW) == []


@pytest.mark.parametrize("path", ["/", "/?samples", "/catalogue/", "/operations/jobs/", "/audit/"])
def test_what_a_finger_touches_is_forty_pixels_high(
    phone: BrowserContext, samples: None, whole_house: House, path: str
) -> None:
    page = phone.new_page()
    page.goto(whole_house.address + path)
    controls = "main button, main a.btn, main select, main .nav-link, main input:not([type=hidden]):not([type=checkbox])"
    assert page.locator(controls).evaluate_all(LOW) == []


def test_the_open_menu_is_two_rows(phone: BrowserContext, samples: None, whole_house: House) -> None:
    page = phone.new_page()
    page.goto(whole_house.address)
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("link", name="Catalogue")).to_be_visible()
    top = "elements => [...new Set(elements.map(element => Math.round(element.getBoundingClientRect().top)))]"
    assert becomes_true(page, "!document.querySelector('.collapsing')")
    assert len(page.locator("#site-menu .nav-link").evaluate_all(top)) == 1
    assert len(page.locator("#site-menu > :not(nav)").evaluate_all(top)) == 1


def test_rows_of_a_list_are_cards_that_name_their_columns(
    phone: BrowserContext, samples: None, whole_house: House
) -> None:
    page = phone.new_page()
    page.goto(f"{whole_house.address}/?q=that lost a content")
    row = page.locator(".journals-table tbody tr").filter(has_text="Critical").first
    boxes = [cell.bounding_box() for cell in row.locator("td").all()]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] for box in boxes)
    assert row.locator("td").nth(2).get_attribute("data-column") == "Records, UTC"
    row.get_by_role("link", name=re.compile("that lost a content")).first.click()
    folded = page.locator("details:not([open]) table.proof td").nth(1)
    expect(folded).to_have_attribute("data-column", "Time (UTC)")


def test_a_name_in_the_list_is_cut_before_its_last_words(
    phone: BrowserContext, samples: None, whole_house: House
) -> None:
    page = phone.new_page()
    page.set_viewport_size({"width": 1440, "height": 844})
    page.goto(f"{whole_house.address}/?q=Sample")
    line = page.locator(".name-line").filter(has_text="that lost a content").first
    line.evaluate("line => line.style.width = '200px'")  # too narrow for the name, whatever the font
    first, last = (part.bounding_box() for part in line.locator("a .fitted > span").all())
    row, topic = line.bounding_box(), line.locator(".quiet").first.bounding_box()
    assert first
    assert last
    assert row
    assert topic
    assert first["x"] + first["width"] <= last["x"] + 1
    assert last["x"] + last["width"] <= topic["x"] < topic["x"] + topic["width"] <= row["x"] + 201


def test_on_a_phone_a_name_in_the_list_is_whole(
    phone: BrowserContext, samples: None, whole_house: House
) -> None:
    page = phone.new_page()
    page.goto(f"{whole_house.address}/?q=Sample")
    name = page.locator(".name-line a .fitted").filter(has_text="that lost a content").first
    assert name.evaluate(
        "name => name.scrollHeight <= name.clientHeight && name.scrollWidth <= name.clientWidth"
    )
    box = name.bounding_box()
    assert box
    assert box["x"] + box["width"] <= PHONE["width"]


def test_forms_of_the_profile_fit_a_phone(phone: BrowserContext, samples: None, whole_house: House) -> None:
    page = phone.new_page()
    page.goto(f"{whole_house.address}/?q=that lost a content")
    page.locator(".name-line a").first.click()
    page.get_by_role("link", name="Profile", exact=True).click()
    table = page.get_by_role("group", name="Forms of keys and values")
    expect(table).to_contain_text("type byte and JSON")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")


def test_a_failed_inspection_has_a_line_for_the_words_of_a_stage_and_copies_its_command(
    phone: BrowserContext, whole_house: House, tmp_path: Path
) -> None:
    page, picture = phone.new_page(), tmp_path / "screenshot.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    page.goto(whole_house.address)
    page.set_input_files("#pick-files", [str(picture)])
    words = page.locator(".stages .is-stopped .stage-name + span")
    expect(words).to_be_visible(timeout=HANGS)
    assert words.evaluate("words => words.getBoundingClientRect().width") > PHONE["width"] / 2
    headline, buttons = (
        page.locator(f"#progress {name}").first.bounding_box() for name in ("h1", ".btn-primary")
    )
    assert headline
    assert buttons
    assert headline["x"] == buttons["x"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=whole_house.address)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status").filter(has_text="Command copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("kcat -C -b BROKER:9092 -t TOPIC ")


def test_what_a_marker_ends_is_whole(phone: BrowserContext, whole_house: House, tmp_path: Path) -> None:
    page, sample = phone.new_page(), ROOT / "webapp/journals/samples/hanging.zip"
    page.goto(f"{upload(page, whole_house, tmp_path / sample.name, sample.read_bytes())}records/")
    words = page.locator(".records-table .is-control > .c-value")
    expect(words.first).to_contain_text("ends ")
    assert words.evaluate_all("cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth)") == []
