"""Celery and the command line. Moves; never decides: runs the Spark pipeline and keeps its progress and results."""
