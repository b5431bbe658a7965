"""Attributes as people read them."""

from __future__ import annotations

import json

from webapp.reports.values.attributes import (
    MEMBER_LETTERS,
    MEMBERS_SHOWN,
    MemberChange,
    Pairs,
    changes,
    line,
    pairs,
)


def test_a_line_leaves_out_what_the_id_says_and_cuts_digests() -> None:
    members = {"groupId": "pay", "state": "ENABLED", "hash": "ab" * 32, "name": None, "record_offset": 4}
    assert line(json.dumps(members), "pay/money/1") == "state ENABLED, hash abababababab…"


def test_a_line_says_how_many_members_it_leaves_out() -> None:
    assert line(json.dumps({f"m{n}": n + 10 for n in range(7)})).endswith("m4 14, 2 more")


def test_milliseconds_are_shown_with_their_moment() -> None:
    assert pairs('{"createdOn": 1700000000000}').shown == [
        ("createdOn", "1700000000000 (2023-11-14 22:13:20 UTC)")
    ]
    assert pairs('{"number": 1700000000000}').shown == [("number", "1700000000000")]


def test_changes_name_members_that_came_went_or_differ() -> None:
    before, after = '{"a": 1, "b": 2, "x_offset": 1}', '{"b": 3, "c": 4, "x_offset": 2}'
    assert changes(before, after) == [
        MemberChange("a", "1", None),
        MemberChange("b", "2", "3"),
        MemberChange("c", None, "4"),
    ]


def test_what_is_no_object_has_no_members() -> None:
    assert pairs("[1]") == pairs("{") == pairs(None) == Pairs([])


def test_numbers_stay_even_where_the_id_has_the_same() -> None:
    assert line('{"id": 2, "subject": "orders"}', "orders/2") == "id 2"


def test_members_of_an_object_are_told_one_by_one() -> None:
    before, after = (
        '{"config": {"tasks.max": "1", "topics": "a"}}',
        '{"config": {"tasks.max": "3", "topics": "a"}}',
    )
    assert line(before) == "tasks.max 1, topics a"
    assert changes(before, after) == [MemberChange("config.tasks.max", "1", "3")]


def test_a_size_of_our_own_reads_as_one() -> None:
    assert line('{"contentId": 4, "content_size_bytes": 1204}') == "content ID 4, content 1,204 bytes"
    assert line('{"content_size_bytes": 1}') == "content 1 byte"


def test_members_of_our_own_are_no_members_of_the_record() -> None:
    empty, full = (
        {"has_content": False, "content_size_bytes": 0},
        {"has_content": True, "content_size_bytes": 9},
    )
    assert pairs(json.dumps(empty)).shown == [("content", "none")]
    assert line(json.dumps(empty)) == "content none"
    assert pairs(json.dumps(full)).shown == [("content", "9 bytes")]
    assert pairs('{"has_content": true}').shown == [("has_content", "true")]


def test_people_know_other_members_before_a_hash() -> None:
    members = {
        "contentHash": "ab" * 32,
        "canonicalHashForm": "current",
        "has_content": False,
        "state": "ENABLED",
    }
    assert line(json.dumps(members)) == (
        "content none, state ENABLED, content hash abababababab…, canonical hash form current"
    )


def test_references_are_one_a_line() -> None:
    references = [
        {"groupId": "pay", "artifactId": "invoice", "version": "2", "name": "a.proto"},
        {"name": "x"},
    ]
    assert pairs(json.dumps({"references": references})).shown == [
        ("references", "pay/invoice version 2 as a.proto\nx")
    ]
    assert pairs('{"references": [{"other": 1}]}').shown[0][1].startswith("[")


def test_no_page_holds_more_members_or_letters_than_there_is_room_for() -> None:
    many = pairs(json.dumps({f"m{n}": n for n in range(MEMBERS_SHOWN + 7)}))
    assert (len(many.shown), many.left_out) == (MEMBERS_SHOWN, 7)
    ((_, long),) = pairs(json.dumps({"a": "x" * (MEMBER_LETTERS + 1)})).shown
    assert long == "x" * MEMBER_LETTERS + "…"


def test_a_line_says_names_in_words_and_a_time_once() -> None:
    members = {"artifactType": "AVRO", "createdOn": 1_700_000_000_000, "modifiedOn": 1_700_000_000_000}
    assert line(json.dumps(members)) == "artifact type AVRO, created on 2023-11-14 22:13:20 UTC"
    assert line('{"tasks.max": "1", "x-y": "2"}') == "tasks.max 1, x-y 2"


def test_references_are_said_by_what_they_point_at() -> None:
    references = [
        {"groupId": None, "artifactId": "any.proto", "version": "1", "name": "x"},
        {"groupId": "pay", "artifactId": "invoice", "version": None},
        {"name": "Money", "subject": "money-value", "version": 2},
        {"unknown": 1},
    ]
    assert line(json.dumps({"references": references})) == (
        "references any.proto version 1, pay/invoice and 2 more"
    )
    named = {"references": [{"name": "Money", "subject": "money-value", "version": 2}, {"unknown": 1}]}
    assert line(json.dumps(named)) == 'references money-value version 2, {"unknown": 1}'


def test_a_number_that_is_the_whole_id_is_not_said_again() -> None:
    assert line('{"contentId": 4, "state": "ENABLED"}', "4") == "state ENABLED"


def test_changes_say_our_own_members_in_words() -> None:
    before, after = (
        '{"has_content":true,"content_size_bytes":90}',
        '{"has_content":false,"content_size_bytes":0}',
    )
    assert changes(before, after) == [MemberChange("content", "90 bytes", "none")]


def test_members_for_the_rules_of_a_registry_are_left_out_of_its_entries_alone() -> None:
    before = '{"keytype":"SCHEMA","id":1,"writer":"confluent"}'
    after = '{"keytype":"SCHEMA","id":2,"writer":"karapace"}'
    assert [change.name for change in changes(before, after)] == ["id"]
    assert "writer" not in line(before)
    (change,) = changes('{"config":{"writer":"a"}}', '{"config":{"writer":"b"}}')
    assert (change.name, change.before, change.after) == ("config.writer", "a", "b")
