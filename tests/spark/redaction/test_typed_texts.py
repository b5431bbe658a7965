"""Typed texts of a share: values are told by their kind, literals stay whatever the data is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spark.redaction import Options, ShareNames
from spark.redaction.columns import ColumnKind
from spark.redaction.masking.masks import MASKED, ShareMasks
from spark.redaction.rewriting import Rewriting
from spark.redaction.shown_names import ShownNames
from spark.redaction.typed_texts import HIDDEN, ShareTexts, TypedTexts
from spark.terms import marked
from spark.terms.topic_commands import keep_cleaner_away, take_dump
from spark.terms.typed_text import plain_of, typed
from spark.terms.typed_wording import at_offsets, moment, plural, steps
from tests.builders import given_tables, other_table

TOPICS = {"journal": "journal", "billing": "topic-1", "offset": "topic-2", "": "", "?": "?"}
NAMES = ShownNames(Options(b"salt", keys=False, names=False), {})
TEXTS = ShareTexts(
    NAMES, TOPICS, {"": "", "broker-1": "copy-1"}, {"a/b.log": "file 1", "b.log": "file 1"}, {}
)


def told(
    text: str, *, shown: bool = False, fields: tuple[str, ...] = (), patterns: tuple[str, ...] = ()
) -> str:
    return plain_of(TypedTexts(TEXTS, ShareMasks(fields, patterns), shown).blocks(typed(text)))


def test_our_own_words_numbers_offsets_and_times_stay() -> None:
    text = steps(
        [
            f"{plural(4812, 'content')} at {at_offsets([7, 9])}, {moment(1_717_243_203_000)}.",
            "Stop the registry.",
        ]
    )
    assert (
        told(text) == "1. 4,812 contents at offsets 7 and 9, 2024-06-01 12:00:03 UTC.\n2. Stop the registry."
    )


def test_the_replica_of_an_offset_is_called_as_in_the_share() -> None:
    texts = TypedTexts(TEXTS, ShareMasks((), ()), False)
    (block,) = texts.blocks(
        typed(f"{at_offsets([1], replica='broker-1')}, {at_offsets([2], replica='Jane')}")
    )
    assert [each.get("value") for each in block["segments"] if each.get("kind") == "offset"] == [
        "copy-1",
        "[hidden]",
    ]


@pytest.mark.parametrize(
    "name", ["Jane", "offset", "content", "registry", "x y", "é", "0xdeadbeef", "4711.5", "a`b\nc"]
)
@pytest.mark.parametrize(
    "kind", [marked.entity, marked.key, marked.name, marked.hash_of, marked.quote, marked.url]
)
def test_no_value_shows_though_its_word_stands_in_the_code(name: str, kind: Any) -> None:
    text = told(f"The value {kind(name)} is lost.")
    assert name not in text.removeprefix("The value ").removesuffix(" is lost.")


def test_a_literal_stays_whatever_a_topic_is_called() -> None:
    assert told(f"offset {marked.offset(5)} of {marked.topic('offset')}") == "offset 5 of topic-2"


def test_topics_partitions_copies_and_files_are_told_as_the_share_calls_them() -> None:
    text = f"{marked.topic('billing')} {marked.partition('billing', 3)} {marked.replica('broker-1')} {marked.file('b.log')}"
    assert told(text) == "topic-1 topic-1-3 copy-1 file 1"
    assert told(text, shown=True) == "topic-1 topic-1-3 copy-1 file 1"


def test_a_topic_that_the_share_does_not_hold_is_a_name() -> None:
    assert told(marked.topic("elsewhere")) == NAMES.text_of("elsewhere")
    assert told(marked.topic("elsewhere"), shown=True) == "elsewhere"


def test_one_name_has_one_pseudonym_in_texts_and_tables() -> None:
    names = ShownNames(Options(b"salt", keys=False), {"journal": "apicurio-v2"})
    texts = ShareTexts(names, TOPICS, {}, {}, {})
    entries = other_table(
        "entries",
        {"entry_type": "Artifact", "entity_id": "acme/Jane"},
        topic="journal",
        partition=0,
        replica="",
    )
    tables = given_tables({"entries": entries})
    names.read(tables, {"entries"}, ["acme/Jane"])
    rewriting = Rewriting(Options(b"salt", keys=False), ShareNames({}, {}), texts, {"journal": "apicurio-v2"})
    rewriting.prepare(tables)
    named = rewriting.column("entity_id", ColumnKind.ENTRY_ID)
    (row,) = tables.rows(f"SELECT {named} AS name FROM entries AS t")
    typed_texts = TypedTexts(texts, ShareMasks((), ()), False)

    def shared(text: str) -> str:
        return plain_of(typed_texts.blocks(typed(text)))

    assert shared(marked.entity("acme/Jane", "artifact")) == row["name"] == shared(marked.name("acme/Jane"))
    assert shared(marked.entity("acme/Jane", "artifact", "artifact acme/Jane")) == row["name"]
    assert row["name"].startswith("group-")


def test_a_pseudonym_depends_on_what_it_names_and_ids_and_versions_have_none() -> None:
    names = ShownNames(Options(b"salt", keys=False), {"journal": "apicurio-v2"})
    group, artifact, version = names.id_of("journal", "version", "orders/orders/3").split("/")
    assert group != artifact
    assert (version, names.id_of("journal", "content", "4812")) == ("3", "4812")
    assert names.id_of("journal", "artifact", "orders/orders") == f"{group}/{artifact}"


def test_a_command_with_a_hidden_name_says_so_and_one_without_does_not() -> None:
    blocks = TypedTexts(TEXTS, ShareMasks((), ()), False).blocks(
        typed(f"`kcat -t {marked.topic('journal')}` and `kcat -t {marked.topic('billing')}`")
    )
    assert [one.get("hides", False) for one in blocks[0]["segments"] if one.get("kind") == "code"] == [
        False,
        True,
    ]


def test_a_short_hash_has_the_pseudonym_of_the_whole_one() -> None:
    assert told(marked.hash_of("b5f2", "b5f2c0de")) == told(marked.hash_of("b5f2c0de"))


@pytest.mark.parametrize("command", [take_dump, keep_cleaner_away])
def test_of_a_command_the_topic_is_replaced_and_nothing_else(command: Any) -> None:
    assert told(command("billing")) == marked.plain(command("topic-1"))
    assert told(command("?")) == marked.plain(command("?"))
    assert "TOPIC" in told(command("?"))


def test_a_mask_hides_the_value_that_it_fits_and_no_word_of_ours() -> None:
    text = f"the password of {marked.name('secret-4711')} and {marked.key('k')}"
    assert told(text, shown=True, patterns=("secret-[0-9]+",)) == f"the password of {MASKED} and k"


def test_a_mask_that_fits_a_value_beside_our_words_hides_the_value() -> None:
    text = f"password={marked.quote('hunter2')}"
    assert told(text, shown=True, fields=("**.password",)) == f"password={MASKED}"


def test_what_is_hidden_whatever_is_shown_has_no_value_left() -> None:
    (block,) = TypedTexts(TEXTS, ShareMasks((), ()), True).blocks(
        typed(marked.hash_of("b5f2", "b5f2c0de")), frozenset({"hash"})
    )
    assert block["segments"] == [{"kind": "hash", "text": HIDDEN}]


def leaves(value: Any) -> Iterator[str]:
    """Every string in a document."""
    if isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    else:
        yield str(value)


def test_no_value_beside_a_text_tells_what_the_text_hides() -> None:
    parts = [
        marked.entity("Jane", "artifact"),
        marked.partition("billing", 1),
        marked.hash_of("Ja", "Jane"),
        marked.name("Jane"),
    ]
    document = TypedTexts(TEXTS, ShareMasks((), ()), False).blocks(typed(f"see `{' '.join(parts)}`"))
    assert not [leaf for leaf in leaves(document) if "Jane" in leaf or "billing" in leaf]


@pytest.mark.parametrize("shows", [True, False])
def test_a_name_in_an_address_is_shown_or_hidden_as_it_is_without_its_percent_signs(shows: bool) -> None:
    """`_repair.py` of the Apicurio detectors encodes the names in the addresses of its steps."""
    names = ShownNames(Options(b"salt", names=shows), {"journal": "apicurio-v2"})
    called = {"entry_type": "Artifact", "entity_id": "acme/pay/Jane Doe.proto"}
    entries = other_table("entries", called, topic="journal", partition=0, replica="")
    encoded = "pay%2FJane%20Doe.proto"
    names.read(given_tables({"entries": entries}), {"entries"}, ["acme", encoded])
    texts = ShareTexts(names, TOPICS, {}, {}, {})
    command = (
        f"`GET …/groups/{marked.name('acme')}/artifacts/{marked.name(encoded)}/versions/{marked.name('1')}`"
    )
    for mask, is_whole in (((), shows), (("pay/Jane",), False)):
        (block,) = TypedTexts(texts, ShareMasks((), mask), False).blocks(typed(command))
        (code,) = block["segments"]
        assert code.get("hides", False) is not is_whole
        assert (encoded in code["text"]) is is_whole
        assert ("Jane" in str(code)) is is_whole
    if not shows:
        assert names.text_of(encoded).replace("%2F", "/") == names.text_of("pay/Jane Doe.proto")


def test_a_mask_of_a_name_also_hides_it_where_an_address_encodes_it() -> None:
    assert told(marked.name("pay%2FJane"), shown=True) == "pay%2FJane"
    assert "Jane" not in told(marked.name("pay%2FJane"), shown=True, patterns=("pay/Jane",))
