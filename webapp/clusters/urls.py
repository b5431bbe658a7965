"""Addresses of clusters and captures."""

from __future__ import annotations

from django.urls import path

from webapp.clusters.captures import pause, resume, stop
from webapp.clusters.views import advice, captures, clusters, history, new_capture, trials, watches
from webapp.clusters.watches import run_afresh, run_now

CLUSTER = "<uuid:cluster_id>/"
CAPTURE = "captures/<uuid:capture_id>/"
WATCH = "watches/<uuid:watch_id>/"
JOURNAL = "journals/<uuid:journal_id>/"
TRIAL = "asked/<uuid:trial_id>/"

urlpatterns = [
    path("", clusters.clusters, name="clusters"),
    path("projects/<slug:slug>/new/", clusters.new, name="cluster-new"),
    path(CLUSTER, clusters.cluster, name="cluster"),
    path(f"{CLUSTER}change/", clusters.change, name="cluster-change"),
    path(f"{CLUSTER}remove/", clusters.remove, name="cluster-remove"),
    path(f"{CLUSTER}test/", trials.test, name="cluster-test"),
    path(f"{CLUSTER}topics/", trials.topics, name="cluster-topics"),
    path(f"{CLUSTER}topics/ask/", trials.ask_topics, name="cluster-topics-ask"),
    path(f"{CLUSTER}capture/", new_capture.new, name="capture-new"),
    path(f"{TRIAL}state/", trials.state, name="trial-state"),
    path(f"{TRIAL}estimate/", new_capture.estimate, name="capture-estimate"),
    path(f"{TRIAL}start/", new_capture.start, name="capture-start"),
    path("captures/", captures.captures, name="captures"),
    path(CAPTURE, captures.capture, name="capture"),
    path(f"{CAPTURE}state/", captures.state, name="capture-state"),
    path(f"{CAPTURE}pause/", captures.change, {"action": pause}, name="capture-pause"),
    path(f"{CAPTURE}resume/", captures.change, {"action": resume}, name="capture-resume"),
    path(f"{CAPTURE}stop/", captures.change, {"action": stop}, name="capture-stop"),
    path("watches/", watches.watches, name="watches"),
    path(f"{CLUSTER}watch/", watches.new, name="watch-new"),
    path(WATCH, watches.watch, name="watch"),
    path(f"{WATCH}change/", watches.change, name="watch-change"),
    path(f"{WATCH}remove/", watches.remove, name="watch-remove"),
    path(f"{WATCH}run/", watches.run, {"action": run_now}, name="watch-run"),
    path(f"{WATCH}afresh/", watches.run, {"action": run_afresh}, name="watch-afresh"),
    path(f"{JOURNAL}history/", history.history, name="journal-history"),
    path(f"{JOURNAL}history/figure.json", history.history_figure, name="journal-history-figure"),
    path(f"{CLUSTER}advice/", advice.advice, name="cluster-advice"),
    path(f"{CLUSTER}advice/ask/", advice.ask, name="cluster-advice-ask"),
]
