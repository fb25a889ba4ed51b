#!/usr/bin/env python3
"""Times our kernels beside others on this machine's GPU, with cold weights.

    bench.py [--shape NAME] [--m LIST] [--dtype f16|bf16] [--peers LIST] [--out DIR] ...

docs/performance.md says how the numbers are made. Points that --out has already are
left out, so that several calls make one table.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

from benchmark.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(__doc__))
