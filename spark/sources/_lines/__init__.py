"""What layouts of small outputs share: lines with their byte positions, records one by one, Arrow tables of them.

    lines    a split's lines          records    TextRecord | UnreadLine -> chunks of RECORDS and DAMAGE

For layouts that people paste or save by hand (megabytes, not gigabytes): read in plain Python, in one split, because
records without offsets are numbered through the file.
"""
