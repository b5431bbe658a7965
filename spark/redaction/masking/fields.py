"""Which names the field paths of a share mean: in documents by the whole path, in text by the name that stands there.

    config.password     the member `password` of `config` at the top
    **.token            `token` at any depth
    *.secret-*          `*` within a name stands for anything, alone for one name

Names are compared in small letters, look-alikes as what they look like, and also without `_` and `-` (`accessKey` is
`access_key`). A name that holds dots is a path as well. Every question is one run of RE2 over the path.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import re2

from spark.redaction.masking.views import folded_name

Path = tuple[str, ...]
BETWEEN = "\x1e"  # of the names of a path
DIGITS = str.maketrans("01345", "oleas")  # that are written for letters
AS_DIGITS = {"o": "o0", "l": "l1", "i": "i1", "e": "e3", "a": "a4", "s": "s5"}
FILLERS = str.maketrans("", "", "_-")
MAX_PATHS = 200_000  # answers that are remembered


class FieldPaths:
    """The field paths of one share."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        paths = [tuple(folded_name(name) for name in field.split(".")) for field in fields]
        bare = [tuple(name.translate(FILLERS) for name in path) for path in paths]
        every = [*paths, *(path for path in bare if all(path))]
        self._whole = _regexp(_path_of(path) for path in every)
        self._name = _regexp(one for path in every for one in _endings(path))
        self._core = _regexp(_spread(_core(path)) for path in bare if _core(path))
        self.are_any = bool(fields)
        self.means = lru_cache(maxsize=MAX_PATHS)(self._means)
        self.is_name = lru_cache(maxsize=MAX_PATHS)(self._is_name)

    def _means(self, path: Path) -> bool:
        """Whether the member at the end of a path of a document is meant."""
        return _fits(self._whole, BETWEEN.join(map(folded_name, path)))

    def _is_name(self, name: str) -> bool:
        """Whether a name in text, folded, is meant: where it stands is not known there, so its last names decide."""
        return _fits(self._name, name.strip(".-_").replace(".", BETWEEN))

    def hits(self, text: str) -> list[tuple[int, int]]:
        """Where in folded text a name may stand that is meant."""
        if self._core is None:
            return []
        return [match.span() for match in self._core.finditer(writable(text))]

    def may_be_in(self, text: str) -> bool:
        """Whether any such name may stand in folded text."""
        return self._core is not None and self._core.search(writable(text)) is not None


def _fits(regexp: Any, name: str) -> bool:
    if regexp is None:
        return False
    forms = dict.fromkeys((name, name.translate(FILLERS), name.translate(FILLERS).translate(DIGITS)))
    return any(regexp.fullmatch(writable(form)) for form in forms)


def writable(text: str) -> str:
    """RE2 reads UTF-8, which has no lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _regexp(parts: Any) -> Any:
    """Any of the parts; None where there are none."""
    options = re2.Options()
    options.log_errors, options.never_capture = False, True
    options.max_mem = 64 << 20
    either = "|".join(dict.fromkeys(f"(?:{part})" for part in parts))
    return re2.compile(f"(?s:{either})", options) if either else None


def _path_of(path: Path) -> str:
    """A path as RE2 reads it; names are parted by BETWEEN or by the dots within one."""
    pattern, between = "", ""
    for name in path:
        if name == "**":
            pattern, between = f"{pattern}{between}(?:.*[{BETWEEN}.])?", ""
        else:
            pattern, between = pattern + between + _glob(name), f"[{BETWEEN}.]"
    return pattern if between else f"{pattern}.*"


def _endings(path: Path) -> list[str]:
    """What ends a name in text: the last name, after a dot, `-` or `_`; with the one before where that is only `*`."""
    named = list(path)
    while named and set(named[-1]) == {"*"}:
        named.pop()
    if not named:
        return []
    rest = path[len(named) :]
    after = f"(?:{BETWEEN}[^{BETWEEN}]+){{{len(rest)},}}" if rest else ""
    return [f"(?:.*[{BETWEEN}._/ -])?{_glob(named[-1])}{after}"]


def _glob(name: str) -> str:
    parts = (re.escape(part) for part in re.split(r"\*+", name))
    return f"[^{BETWEEN}]*".join(parts)


def _core(path: Path) -> str:
    """The longest run of letters in the last name that has any."""
    for name in reversed(path):
        runs = [run for run in name.split("*") if run]
        if runs:
            return max(runs, key=len)
    return ""


def _spread(core: str) -> str:
    """A core with what may stand between its letters, and with digits for letters."""
    return "[_-]?".join(f"[{AS_DIGITS[one]}]" if one in AS_DIGITS else re.escape(one) for one in core)
