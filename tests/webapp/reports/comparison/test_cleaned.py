"""What a cleaning did between two copies, as rows of the Compare page."""

from __future__ import annotations

from typing import Any

from webapp.reports.comparison.cleaned import cleanings


def rows_of(**members: Any) -> list[tuple[str, int, list[str]]]:
    entry = {"side": "right", "gone": {}, "gone_offsets": {}, "point_offset": 9, "point_is_from": "records",
             "stayed": 0, "stayed_offsets": [], "model": None} | members  # fmt: skip
    [found] = cleanings({"cleaned": [entry]}, lambda side, offset: f"{side}:{offset}")
    return [(row.outcome, row.records, [url for _, url in row.links]) for row in found.rows]


def test_what_is_gone_is_linked_where_it_still_is_and_what_stayed_where_it_stayed() -> None:
    rows = rows_of(gone={"superseded": 2}, gone_offsets={"superseded": [1, 2]}, stayed=1, stayed_offsets=[3])
    assert rows == [("still present, overdue", 1, ["right:3"]), ("removed", 2, ["left:1", "left:2"])]


def test_the_clean_section_ends_at_a_checkpoint_and_reaches_at_least_to_the_last_removed_record() -> None:
    sides = [
        {"side": side, "point_offset": 9, "point_is_from": source}
        for side, source in (("left", "checkpoint"), ("right", "records"))
    ]
    found = cleanings({"cleaned": sides}, lambda side, offset: "")
    assert [cleaning.reach for cleaning in found] == [
        "the clean section ends at offset 9",
        "the clean section reaches at least offset 8",
    ]


def test_lost_keys_come_first_by_the_models_count() -> None:
    model = {"lost": 2, "lost_offsets": [4, 5], "lost_keys": ["a", "b"], "waiting": {}}
    [cleaning] = cleanings(
        {"cleaned": [{"side": "left", "gone": {"newest": 1, "superseded": 7}, "gone_offsets": {"newest": [4]},
                      "point_offset": 9, "point_is_from": "checkpoint", "stayed": 0, "stayed_offsets": [],
                      "model": model}]},
        lambda side, offset: f"{side}:{offset}",
    )  # fmt: skip
    first = cleaning.rows[0]
    assert (first.records, first.keys, first.tone) == (2, ["a", "b"], "critical")
    assert first.links == [(4, "right:4"), (5, "right:5")]


def test_without_the_model_the_records_tell_what_is_lost() -> None:
    assert rows_of(gone={"newest": 1}, gone_offsets={"newest": [4]}) == [
        ("lost: compaction must keep this record", 1, ["left:4"])
    ]


def test_what_waits_says_until_when_and_what_for() -> None:
    model = {
        "waiting": {"horizon": 3, "not_reached": 2},
        "last_horizon_ms": 1_700_000_000_000,
        "map_was_full": True,
    }
    [cleaning] = cleanings(
        {"cleaned": [{"side": "right", "point_offset": 9, "model": model}]}, lambda side, offset: ""
    )
    assert [(row.records, row.until_ms) for row in cleaning.rows] == [(3, 1_700_000_000_000), (2, None)]
    assert "where the offset map was full" in cleaning.rows[1].why


def test_offsets_that_are_not_listed_are_counted() -> None:
    [cleaning] = cleanings(
        {"cleaned": [{"side": "right", "point_offset": 9, "gone": {"tombstone": 50},
                      "gone_offsets": {"tombstone": list(range(20))}}]},
        lambda side, offset: "",
    )  # fmt: skip
    assert cleaning.rows[0].more == 30
    assert "likely" in cleaning.rows[0].why  # no horizon is in the records


def test_a_pair_without_a_cleaning_has_none() -> None:
    assert cleanings({}, lambda side, offset: "") == []
