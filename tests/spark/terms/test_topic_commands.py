"""Commands on a topic: ready to run, and safe to paste whatever a dump calls its topic."""

from __future__ import annotations

import shlex

import pytest

from spark.terms.topic_commands import keep_cleaner_away, let_cleaner_work, named, take_dump


def test_a_legal_name_stands_in_every_command() -> None:
    for command in (take_dump("a.b_c-1"), keep_cleaner_away("a.b_c-1"), let_cleaner_work("a.b_c-1")):
        assert "a.b_c-1" in shlex.split(command.strip("`"))


@pytest.mark.parametrize("topic", ["?", "", "a b", "x; rm -rf ~", "$(id)", "a`b", "../x", "a\nb", "a" * 250])
def test_what_kafka_does_not_allow_leaves_a_word_to_fill_in(topic: str) -> None:
    assert named(topic) == "TOPIC"
    assert take_dump(topic) == (
        "`kcat -C -b BROKER:9092 -t TOPIC -o beginning -e -q -J -X isolation.level=read_uncommitted > TOPIC.json`"
    )
    assert not topic or topic not in keep_cleaner_away(topic) + let_cleaner_work(topic)


def test_the_cleaner_is_let_back_by_the_setting_that_kept_it_away() -> None:
    settings = keep_cleaner_away("t").strip("`").rpartition(" ")[2].split(",")
    names = ",".join(setting.partition("=")[0] for setting in settings)
    assert let_cleaner_work("t").strip("`").endswith(f"--delete-config {names}")
