"""How fast a capture may go, and how much it asks for at once. Times are of a monotonic clock, in seconds."""

from __future__ import annotations

# A bucket of an eighth of a second: no window of 5 s takes more than 5 % above the rate, whole batches aside.
BUCKET_SECONDS = 0.125
# The largest stays in the processor's cache on its way to the disk: 16 MB take three times the processor time.
MIN_ASK, FIRST_ASK, MAX_ASK = 4 * 1024, 1024 * 1024, 4 * 1024 * 1024
# An answer shall take this long: often enough to hear a cancel, seldom enough to fill the line.
QUICK_SECONDS, SLOW_SECONDS = 0.25, 0.8


class TokenBucket:
    """A token bucket that may go into debt: an answer is paid for after it came, since a batch comes whole."""

    def __init__(self, bytes_per_second: int | None, now: float) -> None:
        self.bytes_per_second = bytes_per_second
        self._balance, self._at = 0.0, now

    @property
    def bucket_bytes(self) -> float:
        """The most that is saved up, and the most that is asked for at once."""
        return (self.bytes_per_second or 0) * BUCKET_SECONDS

    def wait_seconds(self, now: float) -> float:
        """Seconds until the next request may be sent."""
        if self.bytes_per_second is None:
            return 0.0
        self._fill(now)
        return max(0.0, -self._balance / self.bytes_per_second)

    def spend(self, size_bytes: int, now: float) -> None:
        if self.bytes_per_second is not None:
            self._fill(now)
            self._balance -= size_bytes

    def _fill(self, now: float) -> None:
        earned = (now - self._at) * (self.bytes_per_second or 0)
        self._balance, self._at = min(self.bucket_bytes, self._balance + earned), now


class AskSize:
    """Bytes to ask for at once: grows while answers are quick, shrinks when they are slow."""

    def __init__(self, rate: TokenBucket) -> None:
        most = MAX_ASK if rate.bytes_per_second is None else int(rate.bucket_bytes)
        self.largest = max(MIN_ASK, min(MAX_ASK, most))
        self.size_bytes = min(FIRST_ASK, self.largest)

    def took(self, seconds: float, size_bytes: int) -> None:
        """Adapt the size to an answer of `size_bytes` that took `seconds`."""
        if seconds > SLOW_SECONDS:
            self.size_bytes = max(MIN_ASK, self.size_bytes // 2)
        elif seconds < QUICK_SECONDS and size_bytes >= self.size_bytes // 2:
            self.size_bytes = min(self.largest, self.size_bytes * 2)
