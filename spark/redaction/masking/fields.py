"""Which names a share's field paths match: in documents by the whole path, in text by the name alone.

    config.password     the member `password` of `config` at the top
    **.token            `token` at any depth
    *.secret-*          `*` within a name matches anything, alone one name

Names are compared in lower case, with look-alike letters replaced, and also without `_` and `-` (`accessKey` is
`access_key`). A name with dots is also a path. Every question is one run of RE2 over the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
# Masks as wide as these would take settings for secrets that only name some: those that are spelled out mean them nevertheless.
WIDE = frozenset({"**.*password*", "**.*secret*", "**.*token*", "**.*credential*"})
SPARED = r"(?:.*[._-])?(?:converter|columns|mechanism)"
SPARED_BELOW = r"(?:.*[._-])?converter[._-].*"  # of a converter, but for its own secrets
TOGETHER = ("jaas", "config")  # in text the last alone would mean every option --add-config
TOLD_BELOW = r".*[._-]?converter[._-].*(?:password|secret|token|credential).*"


class FieldPaths:
    """The field paths of one share."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        exact, wide = ([field for field in fields if (field in WIDE) is is_wide] for is_wide in (False, True))
        self._whole, self._wide = (_regexp(map(_path_of, _forms(some))) for some in (exact, wide))
        self._name, self._wide_name = (
            _regexp(field for path in _forms(some) for field in _endings(path)) for some in (exact, wide)
        )
        bare = [tuple(name.translate(FILLERS) for name in path) for path in _paths(fields)]
        self._core = _regexp(_spread(_core(path)) for path in bare if _core(path))
        self.are_any = bool(fields)
        self.means = lru_cache(maxsize=MAX_PATHS)(self._means)
        self.is_name = lru_cache(maxsize=MAX_PATHS)(self._is_name)

    def _means(self, path: Path) -> bool:
        """Whether the member at the end of a document's path is masked."""
        text = BETWEEN.join(map(folded_name, path))
        return _fits(self._whole, text) or (_fits(self._wide, text) and not _is_spared(folded_name(path[-1])))

    def _is_name(self, name: str) -> bool:
        """Whether a folded name in text is masked: its path is unknown there, so its last names decide."""
        text = name.strip(".-_").replace(".", BETWEEN)
        return _fits(self._name, text) or (_fits(self._wide_name, text) and not _is_spared(name))

    def hits(self, text: str) -> list[tuple[int, int]]:
        """Where masked names may stand in folded text."""
        if self._core is None:
            return []
        return [match.span() for match in self._core.finditer(writable(text))]

    def may_be_in(self, text: str) -> bool:
        """Whether a masked name may stand in folded text."""
        return self._core is not None and self._core.search(writable(text)) is not None


def _paths(fields: Iterable[str]) -> list[Path]:
    return [tuple(folded_name(name) for name in field.split(".")) for field in fields]


def _forms(fields: Iterable[str]) -> list[Path]:
    """Paths as written, and without the separators between the words of a name."""
    paths = _paths(fields)
    bare = (tuple(name.translate(FILLERS) for name in path) for path in paths)
    return [*paths, *(path for path in bare if all(path))]


def _is_spared(name: str) -> bool:
    """Whether a name is a setting that a wide mask leaves out."""
    if re.fullmatch(SPARED, name):
        return True
    return bool(re.fullmatch(SPARED_BELOW, name)) and not re.fullmatch(TOLD_BELOW, name)


def _fits(regexp: Any, name: str) -> bool:
    if regexp is None:
        return False
    forms = dict.fromkeys((name, name.translate(FILLERS), name.translate(FILLERS).translate(DIGITS)))
    return any(regexp.fullmatch(writable(form)) for form in forms)


def writable(text: str) -> str:
    """RE2 reads UTF-8, which has no lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _regexp(patterns: Any) -> Any:
    """An expression for any of the patterns; None if there are none."""
    options = re2.Options()
    options.log_errors, options.never_capture = False, True
    options.max_mem = 64 << 20
    either = "|".join(dict.fromkeys(f"(?:{pattern})" for pattern in patterns))
    return re2.compile(f"(?s:{either})", options) if either else None


def _path_of(path: Path) -> str:
    """A path as RE2 reads it; names are separated by BETWEEN or by the dots within one."""
    pattern, between = "", ""
    for name in path:
        if name == "**":
            pattern, between = f"{pattern}{between}(?:.*[{BETWEEN}.])?", ""
        else:
            pattern, between = pattern + between + _glob(name), f"[{BETWEEN}.]"
    return pattern if between else f"{pattern}.*"


def _endings(path: Path) -> list[str]:
    """What ends a name in text: the last name, after a dot, `-` or `_`; with the one before if it is only `*`."""
    named = list(path)
    while named and set(named[-1]) == {"*"}:
        named.pop()
    if not named:
        return []
    rest = path[len(named) :]
    after = f"(?:{BETWEEN}[^{BETWEEN}]+){{{len(rest)},}}" if rest else ""
    before = f"{TOGETHER[0]}[{BETWEEN}_-]" if tuple(named[-2:]) == TOGETHER else ""
    return [f"(?:.*[{BETWEEN}._/ -])?{before}{_glob(named[-1])}{after}"]


def _glob(name: str) -> str:
    parts = (re.escape(literal) for literal in re.split(r"\*+", name))
    return f"[^{BETWEEN}]*".join(parts)


def _core(path: Path) -> str:
    """The longest run of letters in the last name with letters."""
    for name in reversed(path):
        runs = [run for run in name.split("*") if run]
        if runs:
            return max(runs, key=len)
    return ""


def _spread(core: str) -> str:
    """A core with separators and digits allowed between and for its letters."""
    return "[_-]?".join(
        f"[{AS_DIGITS[letter]}]" if letter in AS_DIGITS else re.escape(letter) for letter in core
    )
