"""Values and keys: what applications do with a topic that Kafka itself allows."""
