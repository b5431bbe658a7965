"""How long, how slow, how much and how many, for one web process."""

from __future__ import annotations

BYTES_PER_SECOND = 1024  # the least that a body or the reader of an answer may do
GRACE_SECONDS = 20.0  # a body may lag behind that rate for so long, and pause for so long
HEADER_SECONDS = 20.0  # from the first moment of a connection to the end of its first headers
WRITE_SECONDS = 60.0  # in which a reader takes one block
BLOCK_BYTES = 64 * 1024
KERNEL_BYTES = (
    256 * 1024
)  # that the kernel takes for a connection before its client has; by itself it takes megabytes

MEMORY_BYTES = 64 * 1024  # of a body or an answer; the rest of it goes to a temporary file
BODY_BYTES = 256 << 20  # of a request that is no upload
SPOOL_BYTES = 1 << 30  # in temporary files, all requests together

UPLOADS = 8  # bodies of uploads that are received at the same time
STREAMS = 4  # answers that are made while they are sent, such as exports
FILE_THREADS = 2  # that read blocks of files
LANE_SECONDS = 10.0  # to wait for one of these before it is refused
RETRY_SECONDS = 5
DRAIN_SECONDS = 3.0  # in which the rest of a refused body is thrown away, so that the client sees the answer
