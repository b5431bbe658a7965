"""`python -m bench.first worker|decoder|page|collection`: do for the first time what a process of the site does often; print the seconds.

A process of its own, because nothing is done for the first time twice.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from wsgiref.util import setup_testing_defaults

from bench import inputs
from bench.inspecting import StageTimes
from bench.starting import SIZE_MB

DECODED_MB, DECODED_TIMES = 300, 6


def worker() -> float:
    """The first inspection after Spark has started as a worker starts it."""
    from spark import pipeline
    from spark.runtime.session import context, discard

    pipeline.preload(context())
    files = inputs.as_uploaded(inputs.segments(SIZE_MB, "none"))
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        pipeline.inspect(context, files, Path(folder) / "results", StageTimes(), pipeline.Limits())
        seconds = time.perf_counter() - began
    discard()
    return seconds


def decoder() -> float:
    """The decoding of a segment, the least processor time of some, after a first one that compiles."""
    from bench.others import own_cpu_seconds

    segments = inputs.segments(DECODED_MB, "none")[:1]
    return min(own_cpu_seconds(segments)[0] for _ in range(DECODED_TIMES))


def page() -> float:
    """The first answer of a web process."""
    application = _web_process()
    environ: dict[str, Any] = {"PATH_INFO": "/healthz", "HTTP_HOST": "127.0.0.1"}
    setup_testing_defaults(environ)
    environ["wsgi.input"] = BytesIO()
    began = time.perf_counter()
    b"".join(application(environ, lambda *_: None))
    return time.perf_counter() - began


def collection() -> float:
    """A full garbage collection of a web process."""
    _web_process()
    began = time.perf_counter()
    gc.collect()
    return time.perf_counter() - began


def _web_process() -> Any:
    from webapp.wsgi import application
    from workers import gunicorn_config

    gunicorn_config.when_ready(SimpleNamespace())
    return application


if __name__ == "__main__":
    print({"worker": worker, "decoder": decoder, "page": page, "collection": collection}[sys.argv[1]]())
