"""What comes before a timed run: another edit, or another claim to remember.

    python tests/benchmarks/prepare.py edit STORE COUNTER
    python tests/benchmarks/prepare.py claim FILE COUNTER

COUNTER is a file that keeps how often that was done, so that no run repeats another.
"""

import sys
from itertools import islice
from pathlib import Path

import stock
from sentences import claims

SEED = 7  # other claims than those that the store was filled with
STRIDE = 37  # edits are spread over the folders


def main(act, where, counter):
    """Do one of them."""
    done = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(done + 1))
    claim = next(islice(claims(SEED), done, None))
    if act == "claim":
        where.write_text(claim)
    else:
        files = stock.files(where)
        stock.edit(files[STRIDE * done % len(files)], claim)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
