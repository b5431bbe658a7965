"""Storage: files by their path on this machine or by their address in an object store, through one door.

    address.py      what an address is, its store, why a store refuses     files.py   open, measure, read, list
    ranges.py       a file of a store as memory that ranges are loaded into
    stored_path.py  folders of results here or in a store                  copies.py  local copies of files that never change
    room.py         the bound of all copies                                pins.py    copies that stay while they are open

Plain paths go straight to the operating system. Addresses go to Arrow's file systems, which are loaded with the first of them.
"""
