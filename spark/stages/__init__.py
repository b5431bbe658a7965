"""The stages of the pipeline, one module each, in the order of `spark.pipeline`."""
