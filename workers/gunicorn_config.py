"""gunicorn's settings that need code: its worker class, what its processes share, where they count, its lines as JSON.

gunicorn --config python:workers.gunicorn_config ... webapp.wsgi
"""

from __future__ import annotations

import gc as _gc
import os as _os
import shutil as _shutil
from pathlib import Path as _Path
from typing import Any as _Any

from webapp.data_folder import data_dir as _data_dir

_os.umask(0o077)
preload_app = True
threads = 8
worker_class = "workers.server.worker.Worker"
asgi_lifespan = "off"
asgi_loop = "asyncio"

if _os.environ.get("METRICS_TOKEN"):
    _os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(_data_dir() / "run" / "metrics"))
    _Path(_os.environ["PROMETHEUS_MULTIPROC_DIR"]).mkdir(parents=True, exist_ok=True)

if _os.environ.get("LOG_FORMAT", "").strip().lower() == "json":
    logconfig_dict = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "webapp.logs.Json"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            name: {"handlers": ["stderr"], "level": "WARNING", "propagate": False}
            for name in ("gunicorn.error", "gunicorn.access")
        },
    }


def on_starting(server: _Any) -> None:
    """Counts of an earlier run are not of this one; connections are held by our worker class whatever was asked for."""
    if server.cfg.worker_class_str != worker_class:
        server.log.warning(
            "The worker class %s cannot serve slow clients. %s is used. Remove --worker-class from the command.",
            server.cfg.worker_class_str,
            worker_class,
        )
        server.cfg.set("worker_class", worker_class)
        server.worker_class = server.cfg.worker_class
    folder = _os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if folder:
        _shutil.rmtree(folder, ignore_errors=True)
        _Path(folder).mkdir(parents=True, exist_ok=True)


def when_ready(server: _Any) -> None:
    """Before the processes are forked: load what the first request of each would, and keep collections away from it.

    A full collection of all that is loaded takes 0.2 s and more, in which no thread of the process answers.
    """
    from django.urls import reverse

    reverse("journals")  # imports all views
    _gc.collect()
    _gc.freeze()


def worker_exit(server: _Any, worker: _Any) -> None:
    """Let the collector free frozen objects: DuckDB warns about those that are left."""
    _gc.unfreeze()


def on_exit(server: _Any) -> None:
    _gc.unfreeze()


def child_exit(server: _Any, worker: _Any) -> None:
    """Removes the process's gauges; its counters stay."""
    if _os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
