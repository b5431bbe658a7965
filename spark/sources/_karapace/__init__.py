"""What the backups of Karapace's schema journal share (`karapace_schema_backup`, up to Karapace 5): rows, Avro, checksums."""
