"""Keys by the names of what they are about, and the life of one: kinds, what changed, what is missing before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.builders import entries_table, other_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results


def text_of(response: Any) -> str:
    assert response.status_code == 200
    bare = re.sub(r'<span class="term-text".*?</span>|<[^>]+>', " ", response.content.decode())
    return " ".join(bare.split())


def entry(offset: int, kind: str, name: str, action: str, attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "offset": offset,
        "entry_type": kind,
        "entity_id": name,
        "entry_action": action,
        "attributes": attributes,
    }


ENTRIES = [
    entry(0, "Content", "4", "create", {"size": 9, "createdOn": 1_700_000_000_000}),
    entry(2, "Content", "4", "update", {"size": 0, "createdOn": 1_700_000_000_000}),
    entry(3, "Content", "48", "update", {"size": 0}),
    entry(5, "Owner", "pay/invoice", "update", {"owner": "anna"}),
]


def registry(folder: Path) -> Path:
    keys = {0: b"\\x02{4}", 1: b"plain", 2: b"\\x02{4}", 3: b"\\x02{48}", 5: b"\\x07{pay}"}
    values = {0: b'{"text": "long long text"}', 1: b"one", 2: b'{"text": ""}', 3: b"{}", 5: b"{}"}
    rows = [{"offset": offset, "key": keys[offset], "value": values[offset]} for offset in keys]
    where = {"topic": "journal", "partition": 0, "replica": ""}
    gap = where | {"first_offset": 4, "last_offset": 4}
    refused = where | {"offset": 3, "entity_type": "content", "entity_id": "48", "reason": "unreadable"}
    return write_results(
        folder,
        records=records_table(*rows),
        entries=entries_table(*ENTRIES),
        gaps=other_table("gaps", gap | {"cause": "likely compaction", "proof": "-"}),
        refusals=other_table("refusals", refused | {"view": "log", "is_own": True}),
    )


@pytest.fixture
def pages(inspected: Any, get: Any) -> Any:
    """`pages(name, ...)`: the response of a page of the registry's journal."""
    inspection = inspected(registry)
    return lambda name, *args, **query: get(inspection, name, *args, **query)


def life(pages: Any, name: str) -> str:
    html = pages("report-keys").content.decode()
    links = re.findall(r"/keys/([0-9a-f]{32})/[^>]*>([^<]*)</a>", html)
    (identity,) = [identity for identity, text in links if text == name]
    return text_of(pages("report-key", identity))


def test_keys_go_by_the_names_of_what_they_are_about_with_their_bytes_behind(pages: Any) -> None:
    html = pages("report-keys").content.decode()
    names = re.findall(r'<a class="key-name"[^>]*>([^<]*)</a>', html)
    assert sorted(names) == ["4", "48", "pay/invoice", "plain"]
    assert re.search(r'title="[^"]*48}"', html)


def test_the_most_changed_and_the_largest_come_first_where_they_are_asked_for(pages: Any) -> None:
    changed = pages("report-keys", sort="versions", order="desc").content.decode()
    assert re.findall(r'class="key-name"[^>]*>([^<]*)</a>', changed)[0] == "4"
    assert 'aria-current="true">Most changed</a>' in changed
    assert "Largest" in changed


def test_a_life_says_what_changed_from_version_to_version(pages: Any) -> None:
    page = life(pages, "4")
    assert "Content 4" in page
    assert "size 9 → 0" in page
    assert "Difference from offset 0" in page
    assert "No earlier record" not in page


def test_a_life_that_begins_with_an_update_says_that_the_create_is_missing(pages: Any) -> None:
    page = life(pages, "48")
    assert "No earlier record of this key is in this dump, and offset 3 is an update." in page
    assert "Likely cause: compaction" not in page, "the only gap comes later"
    assert "Rejected by the service (" in page


def test_a_type_that_never_has_a_create_says_nothing_about_one(pages: Any) -> None:
    assert "No earlier record" not in life(pages, "pay/invoice")


def test_a_life_leads_to_its_entity(inspected: Any, get: Any) -> None:
    state = {"profile": "", "is_own": True, "view": "log", "entity_type": "content", "entity_id": "4",
             "attributes": "{}", "valid_from_offset": 0, "origin_offset": 0}  # fmt: skip
    inspection = inspected(
        lambda folder: write_results(
            folder,
            records=records_table({"offset": 0, "key": b"k", "value": b"v"}),
            entries=entries_table(ENTRIES[0]),
            state=other_table("state", state),
        )
    )
    html = get(inspection, "report-keys").content.decode()
    identity = re.search(r"/keys/([0-9a-f]{32})/", html)
    assert identity
    page = get(inspection, "report-key", identity[1]).content.decode()
    assert re.search(r'<a href="[^"]*type=content&amp;id=4">Open content item 4</a>', page)


def test_what_findings_name_comes_first_and_equal_names_are_told_apart(inspected: Any, get: Any) -> None:
    entries = [
        entry(n, "Artifact", name, "create", {"uuid": f"u{n}", "name": "x", "version": str(n)})
        for n, name in enumerate(["pay/city", "pay/city", "pay/street"])
    ]
    lost = [finding("lost", title="Lost", severity="critical", evidence=[1])]

    def results(folder: Path) -> Path:
        rows = [{"offset": n, "key": b"%d" % n, "value": b"{}"} for n in range(3)]
        report = report_document(findings=lost)
        return write_results(folder, report, records=records_table(*rows), entries=entries_table(*entries))

    html = get(inspected(results), "report-keys").content.decode()
    rows = [
        " ".join(re.sub("<[^>]+>", " ", row).split()) for row in re.findall(r'<th scope="row".*?</th>', html)
    ]
    assert [row.partition("pay/")[2] for row in rows] == ["city version 1", "street", "city version 0"]
    assert "severity-critical" in html
    assert 'aria-current="true">Findings first</a>' in html
