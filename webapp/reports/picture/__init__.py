"""From result tables to what a timeline shows: the window's marks, and the gaps, restarts, clock and findings in it."""

from webapp.reports.picture.draw import TimelineAnswer, draw
from webapp.reports.picture.partitions import draw_partitions
from webapp.reports.picture.request import TimelineRequest

__all__ = ["TimelineAnswer", "TimelineRequest", "draw", "draw_partitions"]
