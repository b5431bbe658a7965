"""Redaction in a process of its own, with a time limit: neither a worker's heartbeat nor a page waits for a slow mask.

The parent sends a pickled job to the same program; the answer is JSON: the report or the error.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from spark.redaction import Options, Selection, redact
from spark.redaction.masking.patterns import Unusable
from spark.storage.stored_path import ResultPath
from spark.terms.installation import IMPORT_ROOT

COMMAND = (sys.executable, "-m", "spark.redaction.process")
SHARE_SECONDS = 840  # a mask that takes longer would take for ever
PREVIEW_SECONDS = 30
EVIDENCE_SECONDS = 120
TOO_LONG = (
    "Hiding what is masked took longer than {seconds} seconds and was ended. Use fewer or simpler patterns, hide the "
    "payloads, or share a part of the report."
)


class TooLong(Exception):
    """The time limit has passed; the message is for the user."""


def redact_apart(
    source: ResultPath,
    target: Path,
    options: Options,
    selection: Selection,
    seconds: float = SHARE_SECONDS,
) -> dict[str, Any]:
    """Runs `redact` in a process of its own, for at most `seconds`. Raises what it raises, and TooLong."""
    job = pickle.dumps((source, target, options, selection))
    try:
        done = subprocess.run(
            COMMAND, input=job, capture_output=True, cwd=IMPORT_ROOT, timeout=seconds, check=False
        )
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
    kinds: dict[str, type[Exception]] = {"FileNotFoundError": FileNotFoundError, "Unusable": Unusable}
    if answer["problem"] in kinds:
        return kinds[answer["problem"]](answer["text"])
    if answer["errno"] is not None:
        return OSError(answer["errno"], answer["text"])
    return RuntimeError(f"{answer['problem']}: {answer['text']}")


def main() -> None:
    """One job from the standard input, its answer to the standard output; nothing else may print there."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        answer: dict[str, Any] = {"document": redact(*pickle.loads(sys.stdin.buffer.read()))}  # noqa: S301  the parent's own
    except Exception as problem:
        number = getattr(problem, "errno", None)
        answer = {"problem": type(problem).__name__, "text": str(problem), "errno": number}
    with answers:
        answers.write(json.dumps(answer))


if __name__ == "__main__":
    main()
