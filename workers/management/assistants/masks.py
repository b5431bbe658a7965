"""What is hidden from an assistant: the choices of a shared link, taken from the command line once and never from a call."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS, NAMES, Options, problems
from spark.terms.errors import UnreadableInput

SHOWABLE = ("payloads", "keys", "headers")
HIDEABLE = ("names", "key-names")
SALT_BYTES = 32


def chosen_masks(
    show: Sequence[str], hide: Sequence[str], fields: Sequence[str], patterns: Sequence[str]
) -> Options:
    """Masks are added to the built-in ones. Raises UnreadableInput."""
    if complaints := problems(list(fields), list(patterns)):
        raise UnreadableInput(" ".join(complaints))
    if "keys" in show and "key-names" in hide:
        raise UnreadableInput("--show keys and --hide key-names exclude each other.")
    return Options(
        secrets.token_bytes(SALT_BYTES),
        payloads="payloads" in show,
        keys=True if "keys" in show else False if "key-names" in hide else NAMES,
        headers="headers" in show,
        names="names" not in hide,
        fields=(*DEFAULT_FIELDS, *fields),
        patterns=(*DEFAULT_PATTERNS, *patterns),
    )


def hidden_words(options: Options) -> list[str]:
    """What every answer says about itself."""
    keys = {
        True: [],
        NAMES: ["keys, except names that the journal type reads in them"],
        False: ["keys and the names in them"],
    }
    return [
        *([] if options.payloads else ["values, and sentences that quote them"]),
        *keys[options.keys],
        *([] if options.headers and options.payloads else ["headers"]),
        *([] if options.names else ["names of topics and entities"]),
        "secrets that a mask finds",
    ]
