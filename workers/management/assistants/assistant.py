"""What calls are answered by: the tool's answer within its bounds, or a refusal that quotes nothing of a journal."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from spark.redaction import Options
from spark.runtime.java import NoJava
from spark.terms.errors import UnreadableInput
from spark.terms.installation import COMMAND_NAME
from spark.terms.visible import visible
from webapp.reports.results import ResultsGone
from workers.management.assistants.answers import JournalAnswers
from workers.management.assistants.bounds import AnswerBounds, Document
from workers.management.assistants.compared import compared
from workers.management.assistants.journals import PathJournals
from workers.management.assistants.planned import planned
from workers.management.assistants.refused import RefusedCall
from workers.management.assistants.served import PREFIX, ServedJournals
from workers.management.assistants.tools import BY_NAME
from workers.management.masks import hidden_words, tell_where, why_unreadable

NO_TOOL = "There is no such tool."
NO_SERVER = (
    f"This server was started without --server, so it knows no journal by its ID ({PREFIX}ID). Name a path."
)
ONLY_PATHS = "This tool takes paths only, no journals of a server."
UNREADABLE = (
    "This input cannot be read as a journal. The reason may quote it and is hidden with the payloads. A person sees it with: "
    f"{COMMAND_NAME} inspect PATH"
)
FAILED = "The call failed because of a bug in Journalscope. Where it happened is in the server's stderr."
CHANGED = "Reading this input, or writing to the folder for temporary files, failed: {reason}. Call again, or tell the person who started this server."


class Assistant:
    """Calls one after the other: an inspection may use all cores."""

    def __init__(
        self, paths: PathJournals, served: ServedJournals | None, options: Options, bounds: AnswerBounds
    ) -> None:
        self._paths, self._options, self._bounds = paths, options, bounds
        self._answers = JournalAnswers(paths, bounds)
        self._served = JournalAnswers(served, bounds) if served else None
        self._calls = threading.Lock()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Document:
        """The document of a call. Raises RefusedCall and nothing else."""
        if tool not in BY_NAME:
            raise RefusedCall(NO_TOOL)
        with self._calls:
            document = visible_texts(self._answered(tool, arguments))
        return self._bounds.whole(document, {"hidden": hidden_words(self._options)})

    def of(self, input: str) -> JournalAnswers:
        if not input.startswith(PREFIX):
            return self._answers
        if self._served is None:
            raise RefusedCall(NO_SERVER)
        return self._served

    def compare(self, input: str, other: str | None, start: int) -> Document:
        require_paths(input, other or "")
        return compared(self._paths, self._bounds, input, other, start)

    def repair_plan(self, input: str, older: Sequence[str], topic: str, start: int) -> Document:
        require_paths(input, *older)
        return planned(self._paths, self._bounds, input, older, topic, start)

    def _answered(self, tool: str, arguments: Mapping[str, Any]) -> Document:
        try:
            return BY_NAME[tool].answer(self, **arguments)
        except RefusedCall:
            raise
        except (UnreadableInput, NoJava) as problem:
            raise RefusedCall(why_unreadable(problem, self._options, UNREADABLE)) from problem
        except (OSError, ResultsGone) as problem:
            number = getattr(problem, "errno", None)
            reason = os.strerror(number) if number else "it changed during the call"
            raise RefusedCall(CHANGED.format(reason=reason)) from problem
        except Exception as problem:
            tell_where(problem)
            raise RefusedCall(FAILED) from problem


def require_paths(*inputs: str) -> None:
    if any(input.startswith(PREFIX) for input in inputs):
        raise RefusedCall(ONLY_PATHS)


def visible_texts(value: Any) -> Any:
    """With characters that a terminal would obey as escapes."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(name)): visible_texts(member) for name, member in value.items()}
    return [visible_texts(item) for item in value] if isinstance(value, list) else value
