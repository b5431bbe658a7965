"""An answer that is a refusal."""

from __future__ import annotations


class RefusedCall(Exception):
    """The assistant gets the text: what is wrong and what to do. It quotes nothing of a journal."""
