"""The emulated object store (tests/with_s3.py) as a program: ADDRESS PORT FOLDER."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import with_s3

if __name__ == "__main__":
    with_s3.Store(sys.argv[3], sys.argv[1], int(sys.argv[2])).serve_forever()
