"""Kinds of jobs that the API lists, and the states that it promises of each. A test holds the kinds against those that apps register."""

from __future__ import annotations

from webapp.jobs.models import State

CAPTURE_STATES = State.choices
RUN_STATES = [choice for choice in CAPTURE_STATES if choice[0] != State.PAUSED]
RESULT_STATES = [choice for choice in RUN_STATES if choice[0] != State.CANCELLED]
JOB_KINDS = ["inspection", "repair", "capture", "comparison", "share"]
