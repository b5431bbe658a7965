"""Effects in a share: an offset behind the name of an entity stays, the name is a pseudonym."""

from __future__ import annotations

import pytest

from spark.redaction import Options, Selection, ShareNames
from spark.redaction.report import Reports
from spark.redaction.rewriting import Rewriting
from spark.redaction.shown_names import ShownNames
from spark.redaction.typed_texts import ShareTexts

OPTIONS = Options(b"salt", keys=False, names=False)
NAMES = ShownNames(OPTIONS, {})
REPORTS = Reports(
    Rewriting(
        OPTIONS,
        ShareNames({"journal": "topic-1"}, {}),
        ShareTexts(NAMES, {"journal": "topic-1"}, {}, {}, {}),
        {},
    ),
    Selection(),
)


@pytest.mark.parametrize(
    ("entity_type", "entity_id", "shared"),
    [
        ("record", "journal-0/12", "topic-1-0/12"),
        ("value", "a/b/1", f"{NAMES.hashed('key', 'a/b')}/1"),
        ("registration", "shared-value/1/15", f"{NAMES.text_of('shared-value/1')}/15"),
    ],
)
def test_an_offset_behind_a_name_stays(entity_type: str, entity_id: str, shared: str) -> None:
    effect = {"kind": "lost", "entity_type": entity_type, "entity_id": entity_id, "when": "already"}
    assert REPORTS._effect(effect)["entity_id"] == shared
