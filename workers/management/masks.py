"""What a command hides: the choices of a shared link, taken from its options or its file of settings once, before anything is read."""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Sequence

from spark.redaction.masking.masks import ShareMasks
from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS, NAMES, Options, problems
from spark.runtime.java import NoJava
from spark.terms.errors import UnreadableInput

SHOWABLE = ("payloads", "keys", "headers")
HIDEABLE = ("names", "key-names")
SALT_BYTES = 32


def chosen_masks(
    show: Sequence[str],
    hide: Sequence[str],
    fields: Sequence[str],
    patterns: Sequence[str],
    salt: bytes | None = None,
) -> Options:
    """Masks are added to the built-in ones; without a salt a random one. Raises UnreadableInput."""
    for name, words, choices in (("show", show, SHOWABLE), ("hide", hide, HIDEABLE)):
        for word in words:
            if word not in choices:
                raise UnreadableInput(f"{name}: {word!r} is not one of {', '.join(choices)}.")
    if complaints := problems(list(fields), list(patterns)):
        raise UnreadableInput(" ".join(complaints))
    if "keys" in show and "key-names" in hide:
        raise UnreadableInput("To show keys and to hide key-names exclude each other.")
    return Options(
        salt or secrets.token_bytes(SALT_BYTES),
        payloads="payloads" in show,
        keys=True if "keys" in show else False if "key-names" in hide else NAMES,
        headers="headers" in show,
        names="names" not in hide,
        fields=(*DEFAULT_FIELDS, *fields),
        patterns=(*DEFAULT_PATTERNS, *patterns),
    )


def hidden_words(options: Options) -> list[str]:
    """What every answer and report says about itself."""
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


def why_unreadable(problem: Exception, options: Options, hidden_reason: str) -> str:
    """The words about an input that cannot be read; `hidden_reason` unless all is shown, because they may quote its lines and names."""
    if options.shows_all and options.names:
        return ShareMasks(options.fields, options.patterns).text(str(problem))
    return str(problem) if isinstance(problem, NoJava) else hidden_reason


def tell_where(problem: Exception) -> None:
    """The place of a bug on stderr; the message may quote data, and many can read what is written here."""
    sys.stderr.write(f"{type(problem).__name__} in\n{''.join(traceback.format_tb(problem.__traceback__))}")
