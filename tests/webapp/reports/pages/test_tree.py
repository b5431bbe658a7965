"""The State page's tree: ids parted into branches, opened as the address says, loaded one branch at a time."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.builders import other_table, records_table
from tests.webapp.reports.pages.test_state import text_of
from tests.webapp.reports.result_folder import write_results

REGISTRY = [
    ("group", "pay"),
    ("artifact", "pay/money"),
    *(("version", f"pay/money/{number}") for number in (10, 2, 1)),
    ("artifact-rule", "pay/money/VALIDITY"),
    ("artifact", "default/cart"),
    ("version", "default/cart/1"),
    ("content", "7"),
]


@pytest.fixture
def journal(inspected: Any) -> Any:
    """`journal(entities)`: the inspection of a journal that holds these (type, id) pairs from offset 0 on."""

    def make(entities: list[tuple[str, str]], **members: Any) -> Any:
        rows = [
            {"profile": "", "is_own": True, "view": "log", "entity_type": kind, "entity_id": name,
             "attributes": "{}", "valid_from_offset": 0, "origin_offset": 0, **members}
            for kind, name in entities
        ]  # fmt: skip
        records = records_table(*({"offset": offset} for offset in range(3)))
        return inspected(
            lambda folder: write_results(folder, records=records, state=other_table("state", *rows))
        )

    return make


def names_in(html: str) -> list[str]:
    return [re.sub(r"<[^>]+>", "", name) for name in re.findall(r'class="mono"[^>]*>([^<]*)<', html)]


def tree_in(response: Any) -> str:
    return response.content.decode().partition('id="entity-tree"')[2].partition("tree-help")[0]


def branch_urls(html: str) -> dict[str, str]:
    return {
        name: url.replace("&amp;", "&")
        for name, url in re.findall(r'data-branch="([^"]*)" data-branch-url="([^"]*)"', html)
    }


def test_types_whose_ids_continue_each_other_grow_in_one_tree(journal: Any, get: Any) -> None:
    page = get(journal(REGISTRY), "report-state")
    assert "1 group, 2 artifacts, 4 versions, 1 artifact rule" in text_of(page)
    assert "1 content item" in text_of(page)
    assert names_in(tree_in(page)) == [
        "default", "cart", "1", "pay", "money", "1", "2", "10", "VALIDITY", "7",
    ]  # fmt: skip


def test_a_parent_that_is_no_entity_itself_is_no_link(journal: Any, get: Any) -> None:
    tree = tree_in(get(journal(REGISTRY), "report-state"))
    assert re.search(r'<span class="mono">default</span>', tree)
    assert re.search(r'<a class="mono" href="[^"]*type=group&amp;id=pay[^"]*">pay</a>', tree)


def test_of_many_entities_only_the_trees_stand_open_and_the_rest_is_asked_for(journal: Any, get: Any) -> None:
    inspection = journal([("version", f"g/{artifact:02}/1") for artifact in range(40)] + REGISTRY)
    tree = tree_in(get(inspection, "report-state"))
    assert names_in(tree) == ["default", "g", "pay", "7"]
    assert names_in(get(inspection, "report-state-branch", node="group/g").content.decode())[:2] == [
        "00",
        "01",
    ]


def test_a_branch_is_a_fragment_whose_only_child_stands_open(journal: Any, get: Any) -> None:
    inspection = journal([("version", f"g/{artifact:02}/1") for artifact in range(40)] + REGISTRY)
    branch = get(inspection, "report-state-branch", node="group/pay")
    html = branch.content.decode()
    assert "<html" not in html
    assert names_in(html) == ["money", "1", "2", "10", "VALIDITY"]
    assert "3 versions, 1 artifact rule" in text_of(branch)


def test_the_address_says_what_stands_open(journal: Any, get: Any) -> None:
    inspection = journal(REGISTRY)
    opened = json.dumps(["group", "group/pay"])
    tree = tree_in(get(inspection, "report-state", open=opened))
    assert names_in(tree) == ["default", "pay", "money"]
    assert names_in(tree_in(get(inspection, "report-state", open="[]"))) == []
    assert "7" in names_in(tree_in(get(inspection, "report-state", open="not JSON")))


def test_a_filter_reaches_the_branches(journal: Any, get: Any) -> None:
    inspection = journal(REGISTRY)
    page = get(inspection, "report-state", q="cart")
    assert "2 entities matching the filters" in text_of(page)
    assert names_in(tree_in(page)) == ["default", "cart", "1"]
    closed = tree_in(get(inspection, "report-state", q="cart", open="[]"))
    assert "q=cart" in branch_urls(closed)["group"]


def test_below_an_id_its_own_branches_are_shown(journal: Any, get: Any) -> None:
    tree = tree_in(get(journal(REGISTRY), "report-state", under="pay/money"))
    assert names_in(tree) == ["pay", "money", "1", "2", "10", "VALIDITY"]


def test_siblings_come_in_portions_and_none_is_left_out_silently(
    journal: Any, get: Any, owner: Any, sign_in: Any
) -> None:
    inspection = journal([("content", str(number)) for number in range(450)])
    tree = tree_in(get(inspection, "report-state"))
    assert names_in(tree) == [str(number) for number in range(200)]
    assert "200 of 450 shown" in tree
    address = re.search(r'hx-get="([^"]*)"', tree)[1].replace("&amp;", "&")  # type: ignore[index]
    following = sign_in(owner).get(address).content.decode()
    assert names_in(following) == [str(number) for number in range(200, 400)]
    assert "the next 50" in following


@pytest.mark.parametrize(
    ("identity", "names"),
    [
        ("", ["(all)"]),
        ('db/t{"a/b":1}', ["db", 't{"a/b":1}']),
        ("/x", ["(empty)", "x"]),
        ("a//b", ["a", "(empty)", "b"]),
    ],
    ids=["empty", "JSON with a slash", "empty first part", "empty part within"],
)
def test_odd_ids_have_their_branches(journal: Any, get: Any, identity: str, names: list[str]) -> None:
    from html import unescape

    tree = tree_in(get(journal([("thing", identity)]), "report-state"))
    assert [unescape(name) for name in names_in(tree)] == names


def test_what_is_gone_has_a_tree_too(journal: Any, get: Any) -> None:
    tree = tree_in(get(journal(REGISTRY, valid_to_offset=1), "report-state", show="gone"))
    assert "money" in names_in(tree)
    assert "deleted at" in tree


def test_rejected_entries_are_a_list_whatever_the_address_says(journal: Any, get: Any) -> None:
    inspection = journal(REGISTRY)
    assert "No rejected entries" in text_of(get(inspection, "report-state", show="refused", **{"as": "tree"}))
    assert get(inspection, "report-state-branch", node="group", show="refused").status_code == 404


def test_a_stranger_gets_no_branch(journal: Any, stranger: Any, sign_in: Any) -> None:
    from django.urls import reverse

    address = reverse("report-state-branch", args=[journal(REGISTRY).id])
    assert sign_in(stranger).get(address, {"node": "group"}).status_code == 404
