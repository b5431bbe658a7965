"""Steps that the remedies of this section share name their topic as a value of the data."""

from __future__ import annotations

from spark.detectors.schemas._words import dump_first, look_again
from spark.terms.marked import pieces


def test_the_topic_of_a_step_is_hidden_where_names_are() -> None:
    for step in (look_again("acme-schemas"), dump_first("acme-schemas")):
        kinds = {piece.kind for piece in pieces(step) if "acme" in piece.text}
        assert kinds == {"topic"}, step
