"""Django. Shows; never computes. Loads neither pyspark nor Kafka clients."""
