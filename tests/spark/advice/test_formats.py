"""The format advisor: what it tells for each history of a log and each stated broker."""

from __future__ import annotations

from typing import Any

import pytest

from spark.advice.brokers import Broker, version
from spark.advice.format_history import histories
from spark.advice.formats import Advice, advise
from spark.terms.marked import plain
from tests.generator.segment import SOME_TIME_MS
from tests.spark.advice.advised import advice_of_all


def rows(*magics: int, **where: Any) -> list[dict[str, Any]]:
    """Stretches of ten offsets each."""
    place = {"topic": "journal", "partition": 0, "replica": "", **where}
    return [
        {
            **place,
            "number": number,
            "magic": magic,
            "first_offset": 10 * number,
            "last_offset": 10 * number + 9,
            "batches": 10,
            "first_timestamp_ms": SOME_TIME_MS if magic else None,
            "last_timestamp_ms": SOME_TIME_MS + 9000 if magic else None,
            "first_leader_epoch": 4 if magic == 2 else -1,
            "last_leader_epoch": 5 if magic == 2 else -1,
        }
        for number, magic in enumerate(magics)
    ]


def advice(*magics: int, **broker: str) -> Advice:
    (found,) = advice_of_all(rows(*magics), Broker(**broker))
    return found


def text(found: Advice, id: str) -> str:
    """A section's sentences and steps; empty where there is none."""
    section = next((section for section in found.sections if section.id == id), None)
    return plain("\n".join([*section.sentences, *section.steps])) if section else ""


HEADERS = '"Magic v1 does not support record headers"'
IN_THE_CLIENT = "fails in the producer itself"
BY_THE_BROKER = "UNKNOWN_SERVER_ERROR"


def test_a_log_of_format_2_all_along_needs_no_advice() -> None:
    assert advice_of_all(rows(2)) == []


def test_a_user_who_asks_about_such_a_log_is_told_that_nothing_has_to_change() -> None:
    (history,) = histories(rows(2))
    found = advise(history, Broker(version="2.1.0"))
    assert plain(found.sentence) == "journal-0 contains message format 2 only. No change is needed."
    assert "KAFKA-7601" in text(found, "downgrade")
    assert text(found, "upgrade") == ""


def test_each_partition_has_its_own() -> None:
    found = advice_of_all([*rows(1), *rows(2, partition=1), *rows(1, 2, partition=2)])
    assert [one.partition for one in found] == [0, 2]


def test_without_a_stated_broker_both_stages_are_told() -> None:
    told = text(advice(1), "producers")
    assert IN_THE_CLIENT in told
    assert BY_THE_BROKER in told
    assert told.count(HEADERS) == 2


@pytest.mark.parametrize(
    ("broker", "says", "does_not_say"),
    [
        ({"version": "0.10.2.2"}, IN_THE_CLIENT, BY_THE_BROKER),
        ({"version": "2.8.1"}, BY_THE_BROKER, IN_THE_CLIENT),
        ({"inter_broker_protocol_version": "0.11.0-IV2"}, BY_THE_BROKER, IN_THE_CLIENT),
        ({"version": "2.8.1", "inter_broker_protocol_version": "0.10.2"}, BY_THE_BROKER, IN_THE_CLIENT),
    ],
    ids=["before 0.11", "2.8", "protocol 0.11", "2.8 with an old protocol"],
)
def test_a_stated_version_tells_the_stage(broker: dict[str, str], says: str, does_not_say: str) -> None:
    told = text(advice(1, **broker), "producers")
    assert says in told
    assert does_not_say not in told


def test_format_0_names_its_own_magic_and_its_missing_timestamps() -> None:
    told = text(advice(0), "producers")
    assert "Magic v0" in told
    assert "no timestamps" in told


def test_after_an_upgrade_producers_are_served_and_old_batches_stay() -> None:
    found = advice(0, 1, 2)
    assert plain(found.sentence) == "journal-0 was upgraded to message format 2 at offset 20."
    assert "work" in text(found, "producers")
    assert "stay unchanged" in text(found, "consumers")
    assert text(found, "upgrade") == ""


def test_the_upgrade_goes_from_software_to_protocol_to_format() -> None:
    told = text(advice(1), "upgrade")
    marks = [
        "--describe",
        "upgrade the software",
        "raise inter.broker.protocol.version",
        "--delete-config",
        "After that",
    ]
    assert sorted(marks, key=told.index) == marks


def test_with_protocol_3_the_format_setting_is_not_worth_a_step() -> None:
    told = text(advice(1, version="3.6.0"), "upgrade")
    assert "--delete-config" not in told
    assert "cannot be lowered" in text(advice(1, version="3.6.0"), "downgrade")


def test_a_new_broker_with_an_old_protocol_still_obeys_the_format() -> None:
    found = advice(1, version="3.6.0", inter_broker_protocol_version="2.8", message_format_version="0.10.2")
    assert "--delete-config" in text(found, "upgrade")
    assert "stated settings" not in text(found, "written")


def test_settings_that_contradict_the_log_are_pointed_out() -> None:
    assert "writes message format 2, but the last batches have format 1" in text(
        advice(1, version="2.8.1"), "written"
    )


def test_a_log_that_went_back_explains_the_epochs() -> None:
    assert "KAFKA-7601" in text(advice(2, 1), "written")
    assert "KAFKA-7601" not in text(advice(1, 2), "written")


@pytest.mark.parametrize(
    ("stated", "warns"), [("2.2.0", True), ("2.2.1", False)], ids=["before the fix", "with the fix"]
)
def test_the_danger_of_going_back_ends_with_2_2_1(stated: str, warns: bool) -> None:
    told = text(advice(1, 2, version=stated), "downgrade")
    assert ("do not clear their leader epochs" in told) is warns


def test_flapping_that_ended_well_tells_what_to_compare() -> None:
    found = advice(2, 1, 2)
    assert "switched to an older format before" in plain(found.sentence)
    assert "No entry must start before offset 20" in text(found, "upgrade")


def test_old_consumers_are_converted_for_until_4_0() -> None:
    assert "zero copy" in text(advice(1, 2, version="3.9.0"), "consumers")
    told = text(advice(1, 2, version="4.0.0"), "consumers")
    assert "zero copy" not in told
    assert "UNSUPPORTED_VERSION" in told


def test_a_document_holds_plain_values_only() -> None:
    document = advice(1).document()
    assert set(document) == {"topic", "partition", "replica", "sentence", "sections", "typed"}
    assert all(
        set(section) == {"id", "title", "sentences", "steps", "typed"} for section in document["sections"]
    )


def test_what_is_no_version_is_said_so() -> None:
    with pytest.raises(ValueError, match="is not a Kafka version"):
        version("latest")
