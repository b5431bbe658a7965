"""Redaction in a process of its own, with a time limit: neither a worker's heartbeat nor a page waits for a mask.

The parent sends the job pickled, both are this program; the answer is JSON: the report, or what went wrong.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from webapp.reports.results import ResultsGone
from webapp.sharing.redaction import Options, Selection, Vocabulary, redact
from webapp.sharing.redaction.patterns import Unusable

ROOT = Path(__file__).resolve().parents[3]
COMMAND = (sys.executable, "-m", "webapp.sharing.redaction.apart")
SHARE_SECONDS = 840  # a mask that takes longer would take for ever
PREVIEW_SECONDS = 30
EVIDENCE_SECONDS = 120
TOO_LONG = (
    "Hiding what is masked took longer than {seconds} seconds and was ended. Use fewer or simpler patterns, hide the "
    "payloads, or share a part of the report."
)


class TooLong(Exception):
    """The time is over; the message is for who asked."""


def redact_apart(
    source: Path,
    target: Path,
    options: Options,
    selection: Selection,
    vocabulary: Vocabulary,
    seconds: float = SHARE_SECONDS,
) -> dict[str, Any]:
    """As `redact`. Raises what it raises, and TooLong."""
    job = pickle.dumps((source, target, options, selection, vocabulary))
    try:
        done = subprocess.run(COMMAND, input=job, capture_output=True, cwd=ROOT, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise TooLong(TOO_LONG.format(seconds=round(seconds))) from None
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"Redaction ended with {done.returncode}: {done.stderr[-2000:]!r}") from None
    if "problem" in answer:
        raise _problem_of(answer)
    return dict(answer["document"])


def _problem_of(answer: dict[str, Any]) -> Exception:
    kinds: dict[str, type[Exception]] = {
        "ResultsGone": ResultsGone, "FileNotFoundError": FileNotFoundError, "Unusable": Unusable
    }  # fmt: skip
    if answer["problem"] in kinds:
        return kinds[answer["problem"]](answer["text"])
    if answer["errno"] is not None:
        return OSError(answer["errno"], answer["text"])
    return RuntimeError(f"{answer['problem']}: {answer['text']}")


def main() -> None:
    """One job from the standard input, its answer to the standard output, where nothing else may print: DuckDB shows the
    progress of a query that takes more than two seconds there."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        answer: dict[str, Any] = {"document": redact(*pickle.loads(sys.stdin.buffer.read()))}  # noqa: S301  the parent's own
    except Exception as problem:
        number = getattr(problem, "errno", None)
        answer = {"problem": type(problem).__name__, "text": str(problem), "errno": number}
    with output:
        output.write(json.dumps(answer))


if __name__ == "__main__":
    main()
