"""The id of a content whose records are all gone: from the draws around it, from a null record, from the user, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from spark.repair import RequestedSchema
from spark.repair.answers import Repaired
from spark.repair.result import repair
from tests.generator.apicurio import healthy
from tests.generator.journal import Journal, Stored
from tests.generator.registry import CONTENT, CONTENT_ID, GLOBAL_ID
from tests.spark.repair.test_repair import contents_of, inspected
from tests.spark.whole_pipeline import report_on

NUMBER = 6  # of the content that is lost


def is_content(stored: Stored, number: int = NUMBER) -> bool:
    """A Content record of this id."""
    key = stored.record.key or b""
    return key[:1] == bytes([CONTENT]) and json.loads(key[1:])["contentId"] == number


def is_draw(stored: Stored) -> bool:
    """Of a content id or a global id."""
    return (stored.record.key or b"")[:1] in (bytes([CONTENT_ID]), bytes([GLOBAL_ID]))


def without(journal: Journal, is_gone: Callable[[Stored], bool]) -> Journal:
    """The journal without some records."""
    return replace(journal, stored=[one for one in journal.stored if not is_gone(one)])


def repaired(folder: Path, broken: Journal, given: int | None = None) -> Repaired:
    """What comes of it with the text of the lost content in a file, and its id where the user gives one."""
    (lost,) = [one for one in healthy(2).stored if is_content(one)]
    name = json.loads((lost.record.key or b"")[1:])["contentHash"]
    (file,) = [one for one in contents_of(healthy(2), folder) if one.name == name]
    requested = [RequestedSchema(given, file=file)] if given else []
    (one,) = repair(
        inspected(broken, folder, "broken"), [], [file], report_on, folder / "out", requested=requested
    ).partitions
    return one


def ids_written(one: Repaired) -> set[object]:
    """Of the contents that both ways add."""
    keys = [record.key for way in one.ways for record in way.added if record.key[:1] == bytes([CONTENT])]
    return {json.loads(key[1:])["contentId"] for key in keys}


def test_the_draws_of_the_create_tell_it(tmp_path: Path) -> None:
    one = repaired(tmp_path, without(healthy(2), is_content))
    assert ids_written(one) == {NUMBER}
    assert one.is_complete


def test_a_null_record_under_its_key_tells_it(tmp_path: Path) -> None:
    def as_null(stored: Stored) -> Stored:
        return replace(stored, record=replace(stored.record, value=None)) if is_content(stored) else stored

    journal = without(healthy(2), is_draw)
    one = repaired(tmp_path, replace(journal, stored=list(map(as_null, journal.stored))))
    assert ids_written(one) == {NUMBER}


@pytest.mark.parametrize("given", [None, NUMBER + 1])
def test_where_nothing_tells_it_the_file_is_refused_with_the_reason(
    tmp_path: Path, given: int | None
) -> None:
    broken = without(healthy(2), lambda stored: is_content(stored) or is_draw(stored))
    one = repaired(tmp_path, broken, given)
    (missing,) = one.plan.missing
    assert missing.entity.startswith("the content with SHA-256 ")
    assert "contentId, which no record tells" in missing.sought
    assert not one.ways
    assert not one.is_complete


def test_the_user_gives_it_behind_the_file(tmp_path: Path) -> None:
    broken = without(healthy(2), lambda stored: is_content(stored) or is_draw(stored))
    assert ids_written(repaired(tmp_path, broken, NUMBER)) == {NUMBER}


def test_draws_that_contradict_a_record_tell_nothing(tmp_path: Path) -> None:
    first = next(
        one.offset for one in healthy(2).stored if (one.record.key or b"")[:1] == bytes([CONTENT_ID])
    )
    broken = without(healthy(2), lambda stored: is_content(stored) or stored.offset == first)
    assert repaired(tmp_path, broken).plan.missing
