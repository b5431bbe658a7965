"""What a rejected entry lacks, as a share that hides names says it."""

from __future__ import annotations

import json

import pytest

from spark.redaction import Options
from spark.redaction.rewriting import Rewriting, ShareNames
from spark.redaction.shown_names import ShownNames
from spark.redaction.typed_texts import ShareTexts
from tests.builders import given_tables, other_table

HASH, SHARED_HASH = "ab" * 32, "cd" * 32


def told(needs: str) -> str | None:
    """`needs` of a rejected entry of a journal where one content has HASH and two have SHARED_HASH."""
    of = {"topic": "journal", "partition": 0, "replica": ""}
    contents = (("48", HASH), ("48", HASH), ("7", SHARED_HASH), ("8", SHARED_HASH))
    tables = given_tables(
        {
            "entries": other_table(
                "entries",
                *(
                    {"attributes": json.dumps({"contentId": int(id), "contentHash": hash})}
                    for id, hash in contents
                ),
                **of,
            ),
            "refusals": other_table("refusals", {"needs": needs}, **of),
        }
    )
    options, dialects = Options(b"salt", keys=False, names=False), {"journal": "apicurio-v2"}
    names = ShownNames(options, dialects)
    names.read(tables, {"entries", "refusals"}, ())
    texts = ShareTexts(names, {}, {}, {}, {})
    return Rewriting(options, ShareNames({}, {}), texts, dialects).shown_needed("journal", needs)


@pytest.mark.parametrize("needs", [f"content:_/{HASH}", "content:_/#48", "content:48"])
def test_a_content_is_named_by_its_id_as_its_entries_are(needs: str) -> None:
    assert told(needs) == "content:48"


def test_a_hash_of_several_contents_or_of_none_stays_a_pseudonym() -> None:
    assert str(told(f"content:_/{SHARED_HASH}")).startswith("content:hash-")
    assert str(told("content:_/" + "ef" * 32)).startswith("content:hash-")


def test_an_artifact_has_the_pseudonym_that_it_has_elsewhere() -> None:
    names = ShownNames(Options(b"salt", keys=False, names=False), {"journal": "apicurio-v2"})
    assert told("artifact:_/pay/money") == f"artifact:{names.id_of('journal', 'artifact', 'pay/money')}"
