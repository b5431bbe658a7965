"""Reports and tables in which `[masks]` of journalscope.toml hides what a shared link can hide, by the redaction of shared links.

Findings are ignored and compared with the baseline before anything is hidden. The ids of a masked report are salted: with a
secret of the environment, so that the next report has the same, or else with random bytes that are used once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark.redaction import Options, Selection, redact, shared_id
from spark.redaction.hashing import digest
from spark.redaction.selection import ProofOfAll
from spark.runtime.java import NoJava
from spark.storage.stored_path import ResultPath
from spark.terms.errors import UnreadableInput
from workers.management.base import FAILED
from workers.management.inspecting import Report, scratch_folder
from workers.management.masks import chosen_masks, hidden_words, tell_where, why_unreadable

SECRET = "JOURNALSCOPE_MASK_SECRET"  # noqa: S105 - a name
MIN_CHARACTERS = 32
REPORT_ONLY = ProofOfAll(replicas=(), tables=frozenset({"files"}))
SHORT_SECRET = f"{SECRET} has fewer than {MIN_CHARACTERS} characters. Set it to random ones, such as the output of: openssl rand -hex 32"
NEEDS_SECRET = f"SARIF with [masks] needs the environment variable {SECRET}, so that findings have the same ids in each run. Set it to the output of: openssl rand -hex 32"
LOCAL_ONLY = (
    "--out with [masks] writes to a folder of this machine only. Name a folder, and copy it afterwards."
)
UNREADABLE = (
    "This input cannot be read as a journal. The reason may quote it and is hidden by [masks]. "
    "A person who may see the data sees the reason without [masks]."
)


@dataclass(frozen=True)
class ReportMasks:
    """What is hidden. `is_lasting`: whether the next report has the same ids."""

    options: Options
    is_lasting: bool

    @property
    def id_series(self) -> str:
        """Reports with an equal one have comparable ids. It tells nothing about the secret."""
        return digest(self.options.salt, "series of ids")[:16]

    @property
    def sentence(self) -> str:
        """What is hidden."""
        return f"Hidden: {'; '.join(hidden_words(self.options))}."

    def id_of(self, identity: str) -> str:
        """A finding's id in masked reports."""
        return shared_id(self.options.salt, identity) or ""

    def with_masked_ids(self, report: Report) -> Report:
        """The findings unmasked, but with these ids."""
        findings = [
            finding
            | {
                "id": self.id_of(finding["id"]),
                "consequence_of": shared_id(self.options.salt, finding["consequence_of"]),
            }
            for finding in report["findings"]
        ]
        return {"findings": findings}

    def hidden(
        self, inspect: Callable[[Path], Report], scratch: Path, out: ResultPath | None
    ) -> tuple[Report, Report]:
        """The whole report, for this process alone, and the masked one; with its tables if `out` is a folder for them."""
        with scratch_folder(scratch) as folder:
            whole = inspect(folder / "raw")
            target = out if isinstance(out, Path) else folder / "masked"
            masked = redact(folder / "raw", target, self.options, Selection() if out else REPORT_ONLY)
            about = {"hidden": hidden_words(self.options), "id_series": self.id_series}
            document = masked | {"masks": about}
            (target / "report.json").write_text(json.dumps(document))
        return whole, document

    def answer(self, document: Callable[[], Report]) -> Report:
        """Like `base.answer`, without words that may quote the input."""
        try:
            return document()
        except (UnreadableInput, NoJava) as problem:
            return {"error": why_unreadable(problem, self.options, UNREADABLE)}
        except OSError as problem:
            reason = os.strerror(problem.errno) if problem.errno else "unknown reason"
            return {"error": f"Reading or writing failed: {reason}."}
        except Exception as problem:
            tell_where(problem)
            return {"error": FAILED}

    def require_possible(self, form: str, out: Path | str | None) -> None:
        """Raise UnreadableInput for what these masks cannot give."""
        if form == "sarif" and not self.is_lasting:
            raise UnreadableInput(NEEDS_SECRET)
        if isinstance(out, str):
            raise UnreadableInput(LOCAL_ONLY)


def report_masks(members: Mapping[str, Any], section: str) -> ReportMasks:
    """The masks of the table `[masks]`. Raises UnreadableInput."""
    secret = os.environ.get(SECRET, "")
    if secret and len(secret) < MIN_CHARACTERS:
        raise UnreadableInput(SHORT_SECRET)
    show, hide, fields, patterns = (members.get(name, ()) for name in ("show", "hide", "fields", "patterns"))
    try:
        options = chosen_masks(show, hide, fields, patterns, secret.encode() or None)
    except UnreadableInput as problem:
        raise UnreadableInput(f"{section}: {problem}") from problem
    return ReportMasks(options, bool(secret))
