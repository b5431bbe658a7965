"""What records of Kafka's own topics consist of, one module for each topic: fields and record types, nothing of what they mean."""
