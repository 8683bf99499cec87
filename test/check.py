#!/usr/bin/python3
"""Runs lit and ends with one line: `N passed, N failed`.

usage: check.py BUILD_DIR [lit option or test ...]
"""

import json
import os
import subprocess
import sys
import tempfile

LIT = "/usr/lib/llvm-22/bin/lit"
PASSES = {"PASS", "XFAIL", "FLAKYPASS"}
IGNORED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main():
    build, options = sys.argv[1], sys.argv[2:]
    if not any(os.path.exists(o) for o in options):
        options += [os.path.join(build, "test"), os.path.join(build, "test-roundtrip")]
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.json")
        status = subprocess.run([LIT, "-sv", "-o", results, *options]).returncode
        try:
            with open(results) as f:
                codes = [test["code"] for test in json.load(f)["tests"]]
        except (OSError, ValueError):
            codes = []  # lit did not get as far as running a test
    passed = sum(code in PASSES for code in codes)
    failed = sum(code not in PASSES | IGNORED for code in codes)
    if status != 0 or not codes:
        failed = max(failed, 1)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
