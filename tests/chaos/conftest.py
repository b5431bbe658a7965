"""The Redis and the folders of the workers' tests."""

from tests.workers.conftest import house, redis_server

__all__ = ["house", "redis_server"]
