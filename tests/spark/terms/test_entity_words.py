"""Ids of entities, and entities in a sentence: few are named, many are counted, what belongs to another is left out."""

from __future__ import annotations

from spark.terms.entity_words import difference_sentence, named, owners, type_words


def rows(kind: str, *entities: tuple[str, str]) -> list[dict[str, str]]:
    """Rows of these entities, by type and id."""
    return [{"kind": kind, "entity_type": entity_type, "entity_id": name} for entity_type, name in entities]


def test_one_is_named_and_several_are_counted() -> None:
    assert named("content", ["4"]) == "content 4"
    assert named("artifact-rule", ["a", "b"]) == "2 artifact rules (a and b)"
    assert named("entity", ["1", "2", "3", "4", "5"]) == "5 entities (1, 2, 3 and 2 more)"
    assert type_words("global-rule") == "global rule"


def test_the_sentence_leaves_out_what_belongs_to_something_lost() -> None:
    lost = rows("lost", ("artifact", "pay/invoice"), ("version", "pay/invoice/1"), ("content", "4"))
    assert difference_sentence(lost) == "Between these dumps artifact pay/invoice and content 4 were lost."


def test_without_a_loss_the_sentence_names_what_reappeared_or_is_empty() -> None:
    assert (
        difference_sentence(rows("reappeared", ("group", "g"))) == "Between these dumps group g reappeared."
    )
    assert difference_sentence([]) == ""


def test_what_changed_without_a_new_record_comes_last() -> None:
    changed = rows("changed", ("global-rule", "COMPATIBILITY"))
    assert (
        difference_sentence(changed)
        == "Between these dumps global rule COMPATIBILITY changed without a new record."
    )
    assert difference_sentence([*rows("lost", ("content", "4")), *changed]) == (
        "Between these dumps content 4 was lost. Global rule COMPATIBILITY changed without a new record."
    )


def test_the_owners_of_an_entity_are_the_beginnings_of_its_id() -> None:
    assert owners("a/b/1") == ["a", "a/b"]
    assert owners("a") == []
