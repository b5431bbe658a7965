"""Fields and record types of Kafka's own topics, one module for each topic, without their meaning."""
