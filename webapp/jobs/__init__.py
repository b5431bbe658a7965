"""Jobs: what somebody asks a worker for. Knows no kind by name; apps register theirs.

models      a job's columns and states
lifecycle   taking, settling, asking again, cancelling: each one conditional UPDATE
kinds       what a page, a queue and housekeeping need to know of a kind
progress    how far a job is, as its worker says
"""
