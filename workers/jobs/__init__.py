"""How a job lives and dies in a worker. Knows kinds only as they are given to the runner or registered with the web.

runner         one attempt: take, execute, settle, publish
heartbeat      one thread of the process: signs of life, words to stop
housekeeping   jobs without a sign of life or a message, leftovers
progress       stages, as the pages read them
spark_runner   the process's Spark session
"""
