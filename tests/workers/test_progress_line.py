"""The progress line of commands: on a terminal only, gone at the end, with tasks, bytes and the time left."""

from __future__ import annotations

import io

from spark.runtime.stage_runner import NoProgress
from spark.terms.remaining import remaining_seconds, share_read
from workers.management.progress_line import CLEAR_LINE, ProgressLine, progress_line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_file_or_a_pipe_gets_no_line() -> None:
    stream = io.StringIO()
    with progress_line(10, stream) as watch:
        assert isinstance(watch, NoProgress)
    assert stream.getvalue() == ""


def test_a_terminal_gets_a_line_that_is_gone_at_the_end() -> None:
    stream = Terminal()
    with progress_line(10, stream) as watch:
        watch.stage("decode", "2 files")
        watch.raise_if_cancelled()
    assert stream.getvalue().endswith(CLEAR_LINE)


def test_the_line_names_stage_tasks_and_bytes() -> None:
    line = ProgressLine(312_400_000, Terminal())
    assert line.text(0, 0) == "plan: 0 s"
    line.stage("decode", "7 segments")
    assert line.text(0, 0) == "decode: 7 segments, 0 s"
    line._stage_began -= 12
    line._began -= 12
    assert line.text(3, 12) == "decode: 3 of 12 tasks, 78.1 of 312.4 MB, 12 s, about 36 s left in this stage"


def test_the_time_left_follows_from_the_tasks_that_have_ended() -> None:
    assert remaining_seconds(10, 2, 4) == 10
    assert remaining_seconds(10, 1, 4) is None
    assert remaining_seconds(10, 4, 4) is None
    assert remaining_seconds(0, 0, 0) is None
    assert share_read(2_000_000, 1, 2) == "1.0 of 2.0 MB"


def test_what_is_read_of_a_small_input_is_in_kilobytes() -> None:
    assert [share_read(2_346, 1, 2), share_read(312_400_000, 1, 4)] == ["1.2 of 2.3 kB", "78.1 of 312.4 MB"]
