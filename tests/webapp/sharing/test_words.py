"""What a share hides, in words."""

from __future__ import annotations

from typing import Any

import pytest

from spark.redaction.options import NAMES
from webapp.sharing.words import hidden_words

DEFAULT = {"payloads": False, "keys": NAMES, "headers": False, "names": True}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "payloads and keys hidden"),
        ({"keys": False, "names": False}, "all hidden"),
        ({"keys": True}, "payloads hidden"),
        ({"keys": True, "payloads": True}, "headers hidden"),
        ({"keys": True, "payloads": True, "headers": True}, "nothing hidden but masks"),
    ],
)
def test_a_banner_names_hidden_keys_on_a_phone_too(options: dict[str, Any], words: str) -> None:
    assert hidden_words(DEFAULT | options, is_short=True) == words
