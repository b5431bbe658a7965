"""Captures a topic: the broker's own record batches, byte by byte, into segment files, and a manifest beside them.

`capture` does it, `estimate` says before how much it will be. Nothing is ever written to the cluster: `workers.kafka`
encodes only requests that read. What the files are: docs/captures.md.
"""

from workers.capture.ask import CaptureSpec
from workers.capture.estimate import Estimate, estimate
from workers.capture.manifest import NAME, CaptureManifest
from workers.capture.run import capture
from workers.capture.schemas import RegistryEndpoint
from workers.capture.topics import NoTopic
from workers.capture.watcher import CaptureProgress, CaptureSignal, Watcher

__all__ = [
    "NAME",
    "CaptureManifest",
    "CaptureProgress",
    "CaptureSignal",
    "CaptureSpec",
    "Estimate",
    "NoTopic",
    "RegistryEndpoint",
    "Watcher",
    "capture",
    "estimate",
]
