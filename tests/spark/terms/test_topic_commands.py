"""Commands on a topic: ready to run, and safe to paste whatever a dump calls its topic."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from spark.terms.marked import pieces, plain
from spark.terms.topic_commands import copy_segments, keep_cleaner_away, let_cleaner_work, named, take_dump


def test_a_legal_name_stands_in_every_command() -> None:
    for command in (take_dump("a.b_c-1"), keep_cleaner_away("a.b_c-1"), let_cleaner_work("a.b_c-1")):
        assert "a.b_c-1" in shlex.split(plain(command).strip("`"))


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


def test_segments_are_copied_with_the_cleaners_checkpoint_as_one_archive() -> None:
    command = plain(copy_segments("orders", 3)).split("`")[1]
    assert shlex.split(command) == [
        "tar",
        "-czf",
        "orders-3.tar.gz",
        "-C",
        "LOG_DIR",
        "orders-3",
        "cleaner-offset-checkpoint",
    ]
    assert "TOPIC-PARTITION" in copy_segments("?")


def test_no_other_dump_command_is_advised() -> None:
    folders = ("spark", "webapp", "workers", "templates")
    files = [
        path for name in folders for ending in ("py", "html") for path in Path(name).rglob(f"*.{ending}")
    ]
    advising = {str(path) for path in files if re.search(r"kcat -C -b", path.read_text())}
    assert advising == {"spark/terms/topic_commands.py"}
    advised = re.compile(r"kcat [^`\n]*-C [^`\n]*-J[^`\n]*BROKER|kcat [^`\n]*BROKER[^`\n]*-J[^`\n]*")
    in_docs = {
        found[0] for path in Path("docs").rglob("*.md") for found in advised.finditer(path.read_text())
    }
    assert in_docs == {take_dump("?").strip("`")}


def test_the_topic_in_a_command_is_marked_and_a_placeholder_is_not() -> None:
    assert {piece.text for piece in pieces(take_dump("orders")) if piece.kind == "topic"} == {"orders"}
    assert not any(piece.kind for piece in pieces(take_dump("TOPIC") + take_dump("?")))
