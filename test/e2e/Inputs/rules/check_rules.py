"""Checks the rules of docs/LanguageRules.md that are tables: each combination, its type and its values.

usage: check_rules.py TILEC TILE_RUN [--device cpu|cuda] [--jobs N] [--options WORDS] [TABLE...]

Tables are `pairs` and `numbers` (operators), `casts` and `chains` of two, `constants`, `functions`, `atomics`, and
`folding` of constants. What to expect is computed here, from the rules,
in Python; neither engine has a part in it.
"""

import argparse
import concurrent.futures
import sys
import tempfile

import atomics
import casts
import functions
import operators
from kernels import Failure, Rejected, check_rejected

TABLES = {"pairs": operators.pairs, "numbers": operators.numbers, "casts": casts.casts, "chains": functions.chains,
          "constants": functions.constants, "functions": functions.functions, "atomics": atomics.atomics,
          "folding": operators.folding}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilec")
    parser.add_argument("tile_run")
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--options", default="")
    options = parser.parse_intermixed_args()
    words = ["--device", options.device, *options.options.split()]
    cases = [case for table in options.tables or TABLES for case in TABLES[table]()]
    rejected = [case for case in cases if isinstance(case, Rejected)]
    counts, failures = [], []

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kernels = [case for case in cases if not isinstance(case, Rejected)]
        jobs = [pool.submit(kernel.run, options.tile_run, words, folder) for kernel in kernels]
        if rejected and options.device == "cpu":
            jobs.append(pool.submit(check_rejected, rejected, options.tilec, folder))
        for job in jobs:
            try:
                counts.append(job.result())
            except Failure as failure:
                failures.append(str(failure))
    if failures:
        sys.exit("\n".join(failures))
    print(f"{sum(counts)} combinations are as the rules say")


if __name__ == "__main__":
    main()
