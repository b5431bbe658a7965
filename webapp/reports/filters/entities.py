"""Records about an entity: what the dialect read in them, what they set or end in the service's state, what it rejects.

An entity is named by its id or by its type and id, as pages name it: `48`, `content 48`, `artifact pay/invoice`. Without a star at
the end it stands for what lies below it, too: the versions and rules of an artifact.
"""

from __future__ import annotations

from webapp.reports.filters.matches import BoundValues, any_of, text_match
from webapp.reports.filters.tree import Match, TextMatch
from webapp.reports.queries.kinds import OWN
from webapp.reports.queries.timeline.pins import PLAIN_TYPE
from webapp.reports.results import WHERE_REPLICA

MAX_TYPE_WORDS = 6  # before the id, as words of its type
SOURCES = (
    f'SELECT "offset" FROM entries WHERE {WHERE_REPLICA} AND {{entry_type}}',
    f'SELECT "offset" FROM refusals WHERE {OWN} AND {{entity_type}}',
    f"SELECT origin_offset FROM state WHERE {OWN} AND {{entity_type}}",
    f"SELECT valid_to_offset FROM state WHERE {OWN} AND valid_to_offset IS NOT NULL AND {{entity_type}}",
)


def entity_offsets(matches: tuple[Match, ...], values: BoundValues) -> str:
    """A condition on offsets."""
    by_type = {
        name: any_of([_called(match, name, values) for match in matches])
        for name in ("entry_type", "entity_type")
    }
    return f'"offset" IN ({" UNION ALL ".join(SOURCES).format(**by_type)})'


def _called(match: Match, type_column: str, values: BoundValues) -> str:
    conditions = [_has_id(match, values)]
    if isinstance(match, TextMatch) and match.pieces and (first := match.pieces[0]):
        words = first.split(" ")
        for number in range(1, min(len(words), MAX_TYPE_WORDS + 1)):
            entity_type = "".join(words[:number]).lower().replace("-", "").replace("_", "")
            rest = TextMatch((" ".join(words[number:]), *match.pieces[1:]), True)
            is_of_type = f"starts_with({PLAIN_TYPE.format(type_column)}, {values.bind(entity_type)})"
            conditions.append(f"({is_of_type} AND {_has_id(rest, values)})")
    return any_of(conditions)


def _has_id(match: Match, values: BoundValues) -> str:
    condition = text_match("entity_id", match, values)
    if isinstance(match, TextMatch) and not match.has_star:
        return f"({condition} OR starts_with(entity_id, {values.bind(f'{match.literal}/')}))"
    return condition
