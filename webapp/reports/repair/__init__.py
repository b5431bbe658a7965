"""The page of a repair: what came out, the topic it is for, its trial."""
