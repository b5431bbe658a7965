"""journalscope.toml: what every run of a pipeline says again. The command line wins over it.

[inspect]
fail-on = "medium"            # any option of `inspect` with a value, by its name
dialect = ["orders=plain"]
rules = "rules.yaml"          # paths are relative to the file
baseline = "baseline.json"

[[ignore]]
detector = "orphan-content"   # id of a detector; topic, partition, entity narrow it
topic = "kafkasql-journal"
reason = "the team deletes these by hand"
until = 2027-01-31            # the last day on which it holds

[masks]                       # the report and the tables hide what a shared link hides, but for this:
show = ["payloads"]           # payloads, keys, headers
hide = ["key-names"]          # names, key-names
fields = ["customer.iban"]    # in addition to the built-in masks
patterns = ["CUST-[0-9]+"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark.terms.errors import UnreadableInput
from spark.units.pages import DOCS
from workers.management.pipeline.counted import FAIL_ON, Ignored

if TYPE_CHECKING:
    from workers.management.pipeline.masked import ReportMasks

NAME = "journalscope.toml"
PATHS = {"rules", "baseline", "older"}
TYPES: Mapping[str, type | tuple[type, ...]] = {
    "fail-on": str,
    "format": str,
    "quiet": bool,
    "verbose": bool,
    "each": bool,
    "dialect": list,
    "older": list,
    "rules": str,
    "baseline": str,
    "text-format": str,
    "columns": str,
}
OF_IGNORE: Mapping[str, type] = {
    "detector": str,
    "reason": str,
    "until": date,
    "topic": str,
    "partition": int,
    "entity": str,
}
OF_MASKS: Mapping[str, type] = dict.fromkeys(("show", "hide", "fields", "patterns"), list)


@dataclass(frozen=True)
class SettingsFile:
    """Options of `inspect` by the names of its arguments, what is ignored, and what is hidden (None: nothing)."""

    options: Mapping[str, Any]
    ignored: tuple[Ignored, ...] = ()
    masks: ReportMasks | None = None


def settings_file(named: Path | None) -> SettingsFile:
    """The file that was named, or the one in this folder, if there is one. Raises UnreadableInput with the member that is wrong."""
    path = named or Path(NAME)
    if named is None and not path.is_file():
        return SettingsFile({})
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UnreadableInput(f"{path} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise UnreadableInput(f"{path} is not UTF-8 text.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UnreadableInput(f"{path} is not TOML: {problem}.") from problem
    checked(document, {"inspect": dict, "ignore": list, "masks": dict}, f"{path}")
    options = document.get("inspect", {})
    checked(options, TYPES, f"{path}, [inspect]")
    if (fail_on := options.get("fail-on", "high")) not in FAIL_ON:
        raise UnreadableInput(f"{path}, [inspect]: fail-on is {fail_on!r}, not one of {', '.join(FAIL_ON)}.")
    return SettingsFile(
        {name.replace("-", "_"): resolved(name, value, path.parent) for name, value in options.items()},
        tuple(
            ignored(entry, number, path) for number, entry in enumerate(document.get("ignore", []), start=1)
        ),
        masks(document["masks"], f"{path}, [masks]") if "masks" in document else None,
    )


def ignored(entry: Any, number: int, path: Path) -> Ignored:
    """One entry of [[ignore]]: a detector that there is, and a reason."""
    section = f"{path}, [[ignore]] {number}"
    if not isinstance(entry, dict):
        raise UnreadableInput(f"{section} is not a table.")
    checked(entry, OF_IGNORE, section)
    for name in ("detector", "reason"):
        if not str(entry.get(name, "")).strip():
            raise UnreadableInput(f"{section} has no {name}.")
    detector = entry["detector"]
    if not detector.startswith("rule:") and not (DOCS / "detectors" / f"{detector}.md").is_file():
        raise UnreadableInput(f"{section}: there is no detector {detector!r}.")
    narrowed = {name: value for name, value in entry.items() if name not in ("detector", "reason")}
    return Ignored(detector, entry["reason"], **narrowed)


def masks(members: Mapping[str, Any], section: str) -> ReportMasks:
    """The table [masks]; an empty one hides what a shared link hides by default."""
    from workers.management.pipeline.masked import report_masks

    checked(members, OF_MASKS, section)
    for name, words in members.items():
        if not all(isinstance(word, str) for word in words):
            raise UnreadableInput(f"{section}: {name} is not a list of texts.")
    return report_masks(members, section)


def checked(members: Mapping[str, Any], types: Mapping[str, Any], section: str) -> None:
    """Raise UnreadableInput for a member that there is not, or of another type."""
    for name, value in members.items():
        if name not in types:
            raise UnreadableInput(f"{section}: there is no {name!r}. Members: {', '.join(types)}.")
        if not isinstance(value, types[name]) or (types[name] is int and isinstance(value, bool)):
            raise UnreadableInput(f"{section}: {name} is not {WORDS[types[name]]}.")


def resolved(name: str, value: Any, folder: Path) -> Any:
    """Paths beside the file are paths here."""
    if name not in PATHS:
        return value
    return [folder / item for item in value] if isinstance(value, list) else folder / value


WORDS: Mapping[type, str] = {
    str: "text", bool: "true or false", list: "a list", int: "a whole number", date: "a date such as 2027-01-31", dict: "a table",
}  # fmt: skip
