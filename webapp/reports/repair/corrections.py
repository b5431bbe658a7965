"""What a repair corrects, in one clause; its result has an item for each entity (spark/repair/apicurio_v2/effects.py)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from spark.terms.wording import listed, some

DELETED, WRITTEN, BACK = " deleted", " written again", " back to "
AGAIN = " again"
SOME = 3  # of each kind


def in_one_clause(corrected: Sequence[str]) -> str:
    """`sets global rule VALIDITY from FULL back to NONE and deletes artifacts a/b and a/c again`."""
    return listed(clauses(corrected))


def clauses(corrected: Sequence[str]) -> Iterator[str]:
    deleted = [text for text in corrected if text.removesuffix(AGAIN).endswith(DELETED)]
    rest = [text for text in corrected if text not in deleted]
    written = [text.partition(WRITTEN)[0] for text in rest if WRITTEN in text]
    set_back = [text for text in rest if WRITTEN not in text and BACK in text]
    others = [text for text in rest if WRITTEN not in text and BACK not in text]
    if set_back:
        yield f"sets {some(set_back, SOME)}"
    if others:
        yield f"corrects {some(others, SOME)}"
    if written:
        yield f"writes {some(written, SOME)}{AGAIN}"
    if deleted:
        again = AGAIN if all(text.endswith(AGAIN) for text in deleted) else ""
        entities = [text.removesuffix(AGAIN).removesuffix(DELETED) for text in deleted]
        yield f"deletes {listed(by_kind(entities))}{again}"


def by_kind(entities: Sequence[str]) -> Iterator[str]:
    """`artifacts a/b and a/c`, `global rule VALIDITY`."""
    names: dict[str, list[str]] = defaultdict(list)
    for entity in entities:
        first, _, name = entity.partition(" ")
        kind, name = (f"{first} rule", name.removeprefix("rule ")) if first == "global" else (first, name)
        names[kind].append(name)
    for kind, of_kind in names.items():
        yield f"{kind}{'s' if len(of_kind) > 1 else ''} {some(of_kind, SOME)}"
