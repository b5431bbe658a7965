"""Captures a topic: the broker's own record batches, byte by byte, into segment files, and a manifest beside them.

`capture` does it, `estimate` says before how much it will be. Nothing is ever written to the cluster: `workers.kafka`
encodes only requests that read. What the files are: docs/captures.md.
"""

from workers.capture.ask import CaptureSpec
from workers.capture.estimate import estimate
from workers.capture.manifest import CaptureManifest
from workers.capture.run import capture
from workers.capture.schemas import RegistryEndpoint
from workers.capture.topics import NoTopic
from workers.capture.watcher import CaptureProgress, CaptureSignal

__all__ = [
    "CaptureManifest",
    "CaptureProgress",
    "CaptureSignal",
    "CaptureSpec",
    "NoTopic",
    "RegistryEndpoint",
    "capture",
    "estimate",
]
