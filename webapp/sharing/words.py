"""A share in few words: what it hides, who sent it, for whom it opens; for its banner, a ticket, a preview of the link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.redaction.options import NAMES
from spark.terms.visible import one_line
from spark.terms.wording import listed
from webapp.sharing.models import Share

HIDEABLE = ("payloads", "keys", "headers", "names")


def hidden_words(options: Mapping[str, Any], is_short: bool = False) -> str:
    """`payloads, raw keys and headers hidden, names shown`. Short: `payloads and keys hidden`, `all hidden`."""
    shows_names = options["names"] and options["keys"] is not False and not is_short
    parts = [name for name in HIDEABLE if options[name] in (False, NAMES)]
    if is_short:
        if len(parts) == len(HIDEABLE):
            return "all hidden"
        parts = [name for name in parts if name != "headers"] or parts
    if not parts:
        return "nothing hidden but masks"
    if not shows_names:
        return f"{listed(parts)} hidden"
    return f"{listed('raw keys' if name == 'keys' else name for name in parts)} hidden, names shown"


def sender(share: Share) -> str:
    """Name of the user who made it; empty if the account is deleted."""
    return one_line(share.created_by.get_username()) if share.created_by else ""


def until(share: Share, is_short: bool = False) -> str:
    """`Shared by anna, payloads, raw keys and headers hidden, names shown, until 2026-12-31`."""
    by = f" by {sender(share)}" if sender(share) else ""
    return f"Shared{by}, {hidden_words(share.options, is_short)}, until {share.expires_at:%Y-%m-%d}"


def opens(share: Share) -> str:
    """For whom the link opens, until when, and what it hides: in the brackets of a ticket's last line."""
    who = {
        Share.Audience.LINK: "no account needed",
        Share.Audience.SIGNED_IN: "sign-in needed",
        Share.Audience.PROJECT: "for members of the project",
    }[Share.Audience(share.audience)]
    with_password = ", with a password" if share.password else ""
    return f"{who}{with_password}, until {share.expires_at:%Y-%m-%d}, {hidden_words(share.options)}"
