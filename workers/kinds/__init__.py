"""Kinds of jobs: one file says how a kind is done; `workers.jobs` does what all have in common.

Files without a kind of their own belong to one that has: capture_to_journal,
previous_segments.
"""

from __future__ import annotations

from importlib import import_module

from workers.jobs.runner import JobKind


def load(name: str) -> JobKind:
    """The kind in the file of this name. A process imports only the kinds that it does."""
    kind: JobKind = import_module(f"workers.kinds.{name}").KIND
    return kind
