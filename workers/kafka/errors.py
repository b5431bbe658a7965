"""What can go wrong with a broker: each error has its cause and its cure, a sentence each, without any secret."""

from __future__ import annotations

from kafka.errors import kafka_errors

# One family: what is wrong with the way to a broker is as much its error as what the broker answers.
from webapp.networks.errors import NetError as KafkaError
from webapp.networks.errors import NetworkBlocked, NotTrusted, Unreachable

__all__ = ["KafkaError", "NetworkBlocked", "NotTrusted", "Unreachable"]

UNKNOWN_TOPIC = 3
CLUSTER_AUTHORIZATION_FAILED = 31
# The codes that mean "you may not", each with the right that is missing.
RIGHTS = {
    29: "Give the user Describe, DescribeConfigs and Read on the topic.",
    CLUSTER_AUTHORIZATION_FAILED: "Give the user Describe and DescribeConfigs on the cluster.",
    53: "Give the user Describe on the transactional id.",
}


class Closed(Unreachable):
    """The other side closed the connection; worth a retry on a new one."""


class NotSignedIn(KafkaError):
    """The sign-in failed or is missing."""


class NotKafka(KafkaError):
    """The response is not one of a Kafka broker."""


class NotSpoken(KafkaError):
    """The broker supports none of our versions of the request."""


class NotReadOnly(KafkaError):
    """The request could change something and was not sent."""


class BrokerError(KafkaError):
    """The broker answered with an error code: `code` and Kafka's `name` of it; `about` says what was asked of whom."""

    def __init__(self, code: int, about: str) -> None:
        self.code, self.name, self.about = code, name_of(code), about
        super().__init__(f"{about}: {self._says()}.", self._helps())

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.code, self.about)

    def _says(self) -> str:
        return f"the broker answered {self.name} ({self.code})"

    def _helps(self) -> str:
        error_class = kafka_errors.get(self.code)
        return "Try again." if error_class and error_class.retriable else "See the broker's log."


class NotAllowed(BrokerError):
    def _says(self) -> str:
        return f"the user has no permission ({self.name})"

    def _helps(self) -> str:
        return RIGHTS[self.code]


def name_of(code: int) -> str:
    """Kafka's name of an error code, such as NOT_LEADER_FOR_PARTITION."""
    error_class = kafka_errors.get(code)
    return str(error_class.message) if error_class else f"error {code}"


def broker_error(code: int, about: str) -> BrokerError:
    return NotAllowed(code, about) if code in RIGHTS else BrokerError(code, about)
