"""Which language a topic is read in: the one that fits best, unless somebody chose; the next best is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spark.dialects import Match, dialects
from spark.report.coverage import runner_up
from spark.sources import InputFile
from spark.stages.plan import CHOSEN, InspectionPlan, plan_inputs
from spark.terms.errors import UnreadableInput
from tests.generator.apicurio import healthy
from tests.generator.dumps import kcat_base64


def planned(folder: Path, **read_as: str) -> InspectionPlan:
    """The plan of a healthy journal of Apicurio 2.x."""
    path = folder / "dump.json"
    path.write_bytes(kcat_base64(healthy(1)))
    file = InputFile(path.name, str(path), path.stat().st_size)
    return plan_inputs([file], {}, {topic.replace("every", ""): name for topic, name in read_as.items()})


def test_the_best_match_is_read_and_the_next_best_told(tmp_path: Path) -> None:
    found = planned(tmp_path)
    assert found.dialect_of("kafkasql-journal")[0] == "apicurio-v2"
    name, match = found.runners_up["kafkasql-journal"]
    assert name != "apicurio-v2"
    assert match.why
    assert runner_up("kafkasql-journal", found) == {
        "dialect": name,
        "title": dialects()[name].title,
        "why": match.why,
    }


def test_what_fits_no_record_is_no_next_best(tmp_path: Path) -> None:
    found = planned(tmp_path)
    unfit = replace(found, runners_up={"kafkasql-journal": ("mirror-maker", Match(0, "No key is one."))})
    assert runner_up("kafkasql-journal", unfit) is None
    assert runner_up("another", found) is None


@pytest.mark.parametrize("topic", ["every", "kafkasql-journal"])
def test_what_a_user_chose_counts_and_the_best_match_is_told(tmp_path: Path, topic: str) -> None:
    found = planned(tmp_path, **{topic: "plain"})
    name, match = found.dialect_of("kafkasql-journal")
    assert (name, match.why) == ("plain", CHOSEN)
    assert found.runners_up["kafkasql-journal"][0] == "apicurio-v2"


def test_another_topics_choice_changes_nothing(tmp_path: Path) -> None:
    assert planned(tmp_path, other="plain").dialect_of("kafkasql-journal")[0] == "apicurio-v2"


def test_a_dialect_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"no journal type 'apicurio'.*apicurio-v2"):
        planned(tmp_path, every="apicurio")
