"""What the API writes is what the framework's own renderer writes, and what that one cannot write at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.utils.functional import lazystr
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.serializer_helpers import ReturnDict

from webapp.api.rest.json import FastJson

ANSWERS = [
    None, {}, [], {"a": [1, 2.5, True, None, "é\u2028<b>"]}, {"when": datetime(2024, 2, 6, 10, 30, tzinfo=UTC)},
    {"id": UUID(int=7), "ratio": Decimal("1.50"), "text": lazystr("later")}, {1: "number as a name"},
    ReturnDict({"a": ReturnDict({"b": 1}, serializer=None)}, serializer=None), {"long": -(2**63)},
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_it_means_the_same_as_the_frameworks_own(answer: Any) -> None:
    written, expected = FastJson().render(answer), JSONRenderer().render(answer)
    assert (written == expected == b"") or json.loads(written) == json.loads(expected)


@pytest.mark.parametrize(
    "answer", [{"many": 2**70}, {"half": "\ud800"}], ids=["beyond 64 bits", "lone surrogate"]
)
def test_what_a_journal_holds_is_written_whatever_it_is(answer: Any) -> None:
    assert json.loads(FastJson().render(answer)) == answer
