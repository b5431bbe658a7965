"""From what people hand in (files, folders, archives) to plain files that Spark can read."""
