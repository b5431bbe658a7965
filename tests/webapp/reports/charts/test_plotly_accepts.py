"""Every figure is one that the Plotly we ship accepts, attribute by attribute, and can draw."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark.tables.replica import PartitionReplica
from tests.webapp.reports.result_folder import incident
from webapp.reports.charts import timeline
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries import marks
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.report import read_report
from webapp.reports.results import open_results


@pytest.mark.parametrize("compact", [False, True], ids=["timeline", "compact"])
@pytest.mark.parametrize("pixels", [1000, 20], ids=["marks", "bars"])
@pytest.mark.parametrize("axis", ["offset", "time"])
def test_plotly_finds_nothing_wrong(
    tmp_path: Path, plotly: Any, axis: Any, pixels: int, compact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        marks, "PLOT_PIXELS", pixels
    )  # what a wide screen draws of times, a narrow one draws, too
    place = PartitionReplica("journal", 0)
    with open_results(incident(tmp_path)) as results:
        found = survey(results)
        span = marks.whole_span(found.facts[place], axis)
        assert span
        shown = TimelineRequest(span, compact=compact, pixels=pixels)
        picture = draw(PartitionTables(results, place, found), read_report(results.document), shown).picture
    assert bool(picture.window.binned) == (pixels == 20)
    wrong = plotly.evaluate(
        """async (figure) => {
            await Plotly.newPlot("figure", structuredClone(figure.data), structuredClone(figure.layout));
            delete figure.layout.legend; // the checker of Plotly 4.1 breaks off at every legend
            const found = Plotly.validate(figure.data, figure.layout) ?? [];
            return found.filter((one) => !["unused", "dynamic"].includes(one.code)).map((one) => one.msg);
        }""",
        unpacked(timeline.figure(picture, "dark").to_dict()),
    )
    assert wrong == []


def unpacked(value: Any) -> Any:
    """Typed arrays in base64 as lists: Plotly draws them, its checker does not know them."""
    if isinstance(value, dict) and "bdata" in value:
        numbers = np.frombuffer(b64decode(value["bdata"]), dtype=value["dtype"])
        shape = [int(size) for size in value["shape"].split(",")] if "shape" in value else [-1]
        return numbers.reshape(shape).tolist()
    if isinstance(value, dict):
        return {name: unpacked(member) for name, member in value.items()}
    return [unpacked(member) for member in value] if isinstance(value, list | tuple) else value
