"""Hands over to the notifications what people may want to be told. No record's content is in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from webapp.review.models import Finding


def tell_assigned(findings: Iterable[Finding], assignee: Any, by: Any) -> None:
    """Somebody was given work by somebody else."""


def tell_mentioned(finding: Finding, people: Iterable[Any], by: Any) -> None:
    """Somebody was named in a comment."""
