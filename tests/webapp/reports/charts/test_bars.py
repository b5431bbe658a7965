"""Bars and heat of dense lanes leave room for a name above them."""

from __future__ import annotations

import numpy as np
import pytest

from webapp.reports.charts.bars import BarPainter
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.rows import NAME_PIXELS, NAMED_LANE_PIXELS
from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.window import Window


@pytest.mark.parametrize("rejected", [False, True])
@pytest.mark.parametrize("most", [4, 400], ids=["stack", "heat"])
def test_on_a_phone_bars_begin_below_the_name_of_their_lane(most: int, rejected: bool) -> None:
    buckets = {
        "lane": np.array(["Artifact", "Artifact"], dtype=object),
        "kind": np.array(["create", "rejected" if rejected else "update"], dtype=object),
        "bucket": np.array([0, 1]),
        "records": np.array([most, 1]),
        "outcome": np.array(["", ""], dtype=object),
    }
    window = Window(AxisRange("offset", 0, 9), 5, ["Artifact"], {}, {}, buckets, ["Artifact"])
    traces = BarPainter(window, Clock(), "light", frozenset(), names_above=True).lanes({"Artifact": 0})
    highest = max(base + y for trace in traces for base, y in zip(trace["base"], trace["y"], strict=True))
    assert 0 < highest * NAMED_LANE_PIXELS <= NAMED_LANE_PIXELS / 2 - NAME_PIXELS
