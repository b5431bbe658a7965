"""What a timeline asks of result tables: what the service does with a record, lanes, bins, records of other dumps."""
