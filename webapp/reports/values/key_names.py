"""What tells keys of one name apart: the first member of their newest records that differs in all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

from webapp.reports.values.attributes import is_hash, members_of, name_in_words, shown

FIRST = "version"  # what people call several of one name by
LETTERS = 16
Key = TypeVar("Key", bound=Hashable)


def distinctions(
    names: Mapping[Key, tuple[str, str]], attributes: Mapping[Key, str | None]
) -> dict[Key, str]:
    """`version 2` by key, of keys whose entry type and name are those of others."""
    alike: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key, name in names.items():
        alike[name].append(key)
    labels: dict[Key, str] = {}
    for keys in alike.values():
        if len(keys) > 1:
            labels |= zip(keys, _told_apart([members_of(attributes.get(key)) for key in keys]), strict=True)
    return labels


def _told_apart(members: Sequence[Mapping[str, Any]]) -> list[str]:
    order = sorted(members[0], key=lambda name: (name != FIRST, is_hash(name, members[0][name])))
    for name in order:
        values = [of_key.get(name) for of_key in members]
        texts = [shown(value) for value in values if isinstance(value, str | int)]
        if len(set(texts)) == len(members):
            return [f"{name_in_words(name)} {_cut(text)}" for text in texts]
    return [""] * len(members)


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 4]}…"
