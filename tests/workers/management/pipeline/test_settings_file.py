"""journalscope.toml: what it may say, and what is said of a mistake."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from spark.terms.errors import UnreadableInput
from workers.management.pipeline.counted import Ignored, baseline
from workers.management.pipeline.settings_file import settings_file

WHOLE = """
[inspect]
fail-on = "medium"
rules = "rules.yaml"
older = ["old.json"]

[[ignore]]
detector = "orphan-content"
topic = "kafkasql-journal"
reason = "deleted by hand"
until = 2027-01-31
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "journalscope.toml"
    path.write_text(text)
    return path


def test_all_of_it(tmp_path: Path) -> None:
    given = settings_file(written(tmp_path, WHOLE))
    assert given.options == {
        "fail_on": "medium",
        "rules": tmp_path / "rules.yaml",
        "older": [tmp_path / "old.json"],
    }
    assert given.ignored == (
        Ignored("orphan-content", "deleted by hand", date(2027, 1, 31), "kafkasql-journal"),
    )


def test_without_a_file_nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings_file(None).options == {}


def test_the_file_in_the_folder_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, WHOLE)
    monkeypatch.chdir(tmp_path)
    assert settings_file(None).options["fail_on"] == "medium"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[inspect", "is not TOML"),
        ("[inspct]", "there is no 'inspct'. Members: inspect, ignore, masks."),
        ("[inspect]\nfail_on = 'high'", r"\[inspect\]: there is no 'fail_on'"),
        ("[inspect]\nfail-on = 'worst'", "fail-on is 'worst', not one of critical, high"),
        ("[inspect]\nquiet = 1", "quiet is not true or false"),
        ("[[ignore]]\nreason = 'x'", r"\[\[ignore\]\] 1 has no detector"),
        ("[[ignore]]\ndetector = 'orphan-content'", r"\[\[ignore\]\] 1 has no reason"),
        ("[[ignore]]\ndetector = 'orphan'\nreason = 'x'", "there is no detector 'orphan'"),
        ("[[ignore]]\ndetector = 'orphan-content'\nreason = 'x'\nuntil = 'May'", "until is not a date"),
        ("masks = true", "masks is not a table"),
        ("[masks]\nkeys = true", r"\[masks\]: there is no 'keys'. Members: show, hide, fields, patterns."),
        ("[masks]\nshow = 'keys'", "show is not a list"),
        ("[masks]\nfields = [1]", "fields is not a list of texts"),
        ("[masks]\nshow = ['names']", r"\[masks\]: show: 'names' is not one of payloads, keys, headers"),
        ("[masks]\nshow = ['keys']\nhide = ['key-names']", "exclude each other"),
        ("[masks]\nfields = ['a..b']", "is no field path"),
        ("[masks]\npatterns = ['(']", "is no pattern"),
        ("ignore = [1]", r"\[\[ignore\]\] 1 is not a table"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UnreadableInput, match=sentence):
        settings_file(written(tmp_path, text))


def test_a_baseline_is_a_report(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text('{"findings": [{"id": "a"}]}')
    assert baseline(path) == {"a"}
    path.write_text("[]")
    with pytest.raises(UnreadableInput, match=r"is not a report\. Make one with"):
        baseline(path)
    with pytest.raises(UnreadableInput, match="cannot be read"):
        baseline(tmp_path / "none.json")
